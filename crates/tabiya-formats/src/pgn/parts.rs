//! PGN of any length, mostly compressed, as a sequence of texts that fit into memory.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, Weak,
        mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    },
    thread,
    time::Duration,
};

use memchr::memchr_iter;

use super::{
    input::Input,
    opened::{GAME_TOO_LONG, PgnFile},
    packed::BytesRead,
    split::{Batch, GamePlace},
    survey::Depth,
};
use crate::{
    Access, File, OpenSettings, Report,
    error::{Error, Result},
    limits::{PGN_GAME_BYTES_MAX, PGN_PART_BYTES, PGN_PART_GAMES},
    progress::Progress,
};

/// Time between two questions whether to go on while no part is ready.
const PAUSE: Duration = Duration::from_millis(100);

/// Reads the parts of a file. A thread decompresses and cuts the next ones meanwhile.
#[derive(Debug)]
pub struct PartReader {
    path: PathBuf,
    access: Access,
    depth: Depth,
    read: BytesRead,
    texts: Receiver<Result<Text>>,
    /// Lives as long as somebody wants the parts.
    _wanted: Arc<()>,
}

/// The text of some games that follow each other.
#[derive(Debug)]
struct Text {
    text: Vec<u8>,
    games: usize,
    /// The number of games, lines and bytes before it.
    before: GamePlace,
    /// A game that is left out after this text.
    too_long: Option<Error>,
}

impl PartReader {
    /// Begins to read a file.
    ///
    /// # Errors
    /// Those of [`Input::open`], and `Io` if there can be no more threads.
    pub fn open(path: &Path, options: &OpenSettings) -> Result<PartReader> {
        let input = Input::of_file(
            path,
            File::open(path, options.access)?.bytes,
            options.encoding,
        )?;
        let part_bytes = usize::try_from(options.unpacked_bytes_max)
            .map_or(PGN_PART_BYTES, |bytes| bytes.min(PGN_PART_BYTES));
        let read_bytes = input.bytes_read();
        let (sender, texts) = sync_channel(1);
        let wanted = Arc::new(());
        let is_wanted = Arc::downgrade(&wanted);
        thread::Builder::new()
            .spawn(move || {
                if let Err(error) = read(&input, part_bytes, &sender, &is_wanted) {
                    // Nobody waits for it any more if this fails.
                    let _ = sender.send(Err(error));
                }
            })
            .map_err(|cause| Error::io("start a thread for", path, cause))?;
        Ok(PartReader {
            path: path.to_owned(),
            access: options.access,
            depth: Depth::of(options),
            read: read_bytes,
            texts,
            _wanted: wanted,
        })
    }

    /// Returns the next part and notes about it; `None` at the end.
    ///
    /// # Errors
    /// `Io` if the compressed bytes are damaged or cut short, after all games before that;
    /// `Interrupted` if `progress` breaks.
    pub fn next(&mut self, progress: Report<'_>) -> Result<Option<(PgnFile, Vec<Error>)>> {
        let text = loop {
            match self.texts.recv_timeout(PAUSE) {
                Ok(text) => break text?,
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) => {
                    let (done, total) = self.read.of_all();
                    if progress(Progress::of(done, total)).is_break() {
                        return Err(Error::interrupted());
                    }
                }
            }
        };
        let file = File::open(&self.path, self.access)?;
        let progress = &mut |at| {
            let file_bytes = Some(self.read.of_all());
            progress(Progress { file_bytes, ..at })
        };
        let part = PgnFile::of_part(file, text.text, text.before, self.depth, progress)?;
        Ok(Some((part, text.too_long.into_iter().collect())))
    }

    /// Returns how many bytes of the file have been read.
    pub fn bytes_read(&self) -> BytesRead {
        self.read.clone()
    }
}

/// Sends the parts of an input until its end, or until nobody wants them.
fn read(
    input: &Input,
    part_bytes: usize,
    sender: &SyncSender<Result<Text>>,
    wanted: &Weak<()>,
) -> Result<()> {
    let mut batches = input.own_batches()?;
    let mut part: Option<Text> = None;
    let end = loop {
        let batch = match batches.next() {
            Ok(Some(batch)) if batch.pieces.is_empty() => {
                if wanted.strong_count() == 0 {
                    return Ok(());
                }
                continue;
            }
            Ok(Some(batch)) => batch,
            Ok(None) => break Ok(()),
            Err(error) => break Err(input.named(error)),
        };
        let part_so_far = part.get_or_insert_with(|| Text::before(&batch));
        part_so_far.add(&batch, input);
        let is_full = part_so_far.text.len() >= part_bytes || part_so_far.games >= PGN_PART_GAMES;
        if (is_full || part_so_far.too_long.is_some())
            && part
                .take()
                .is_some_and(|part| sender.send(Ok(part)).is_err())
        {
            return Ok(());
        }
    };
    if let Some(part) = part {
        // If nobody waits for it, nobody waits for the error either.
        let _ = sender.send(Ok(part));
    }
    end
}

impl Text {
    /// Returns the empty text in front of a batch.
    fn before(batch: &Batch<'_>) -> Text {
        let mut before = GamePlace {
            number: 0,
            line: 0,
            offset_bytes: 0,
        };
        if let Some(piece) = batch.pieces.first() {
            let head = batch.text.get(..piece.range.start).unwrap_or_default();
            let lines = memchr_iter(b'\n', head).count() as u64;
            before = GamePlace {
                number: piece.place.number - 1,
                line: piece.place.line - 1 - lines,
                offset_bytes: piece.place.offset_bytes - head.len() as u64,
            };
        }
        Text {
            text: Vec::new(),
            games: 0,
            before,
            too_long: None,
        }
    }

    fn add(&mut self, batch: &Batch<'_>, input: &Input) {
        self.games += batch.pieces.len();
        self.text.extend_from_slice(&batch.text);
        let too_long = batch.pieces.iter().find(|piece| piece.too_long);
        self.too_long = too_long.map(|piece| {
            let error = Error::limit(GAME_TOO_LONG, PGN_GAME_BYTES_MAX as u64);
            let place = piece.place;
            let error = error.in_game(place.number).at_line(place.line);
            input.named(error.at_offset(place.offset_bytes))
        });
    }
}
