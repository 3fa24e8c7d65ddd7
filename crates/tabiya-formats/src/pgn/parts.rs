//! PGN of any length, mostly compressed, as a sequence of texts that fit into memory.

use std::{
    cell::RefCell,
    path::{Path, PathBuf},
    sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    thread,
    time::Duration,
};

use super::{
    input::Input,
    opened::{GAME_TOO_LONG, PgnFile},
    own_text::OwnText,
    packed::BytesRead,
    place::{Counter, Following},
    stream::{Cut, MoreText, Stream, StreamEnd},
    survey::{Depth, GamesLimit, Scope, Surveyed, survey},
};
use crate::{
    Access, File, OpenSettings, Report,
    error::{Error, Result},
    limits::{PGN_GAME_BYTES_MAX, PGN_PART_BYTES, PGN_PART_GAMES},
    progress::Progress,
};

/// Time between two questions whether to go on while no text is ready.
const PAUSE: Duration = Duration::from_millis(100);

/// Room in front of a text for the games at the end of the one before it.
const ROOM_BYTES: usize = 1 << 20;

/// The next text of a file, and whether it is the last.
type Next = Result<(OwnText, StreamEnd)>;

/// Reads the parts of a file. A thread decompresses the next texts meanwhile.
#[derive(Debug)]
pub struct PartReader {
    path: PathBuf,
    access: Access,
    depth: Depth,
    read: BytesRead,
    texts: Receiver<Next>,
    stream: Stream,
    counter: Counter,
}

/// The texts of a file, to whoever waits for them.
struct Texts<'p, 'r> {
    texts: &'p Receiver<Next>,
    read: &'p BytesRead,
    progress: &'p RefCell<Report<'r>>,
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
        thread::Builder::new()
            .spawn(move || {
                if let Err(error) = read(&input, part_bytes, &sender) {
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
            stream: Stream::new(part_bytes),
            counter: Counter::new(),
        })
    }

    /// Returns the next part and notes about it; `None` at the end.
    ///
    /// # Errors
    /// `Io` if the compressed bytes are damaged or cut short, after all games before that;
    /// `Interrupted` if `progress` breaks.
    pub fn next(&mut self, progress: Report<'_>) -> Result<Option<(PgnFile, Vec<Error>)>> {
        let (read, progress) = (&self.read, RefCell::new(progress));
        let mut texts = Texts {
            texts: &self.texts,
            read,
            progress: &progress,
        };
        let depth = self.depth;
        let find = |text: &[u8], following, counter: &mut Counter| {
            let scope = Scope {
                depth,
                until: text.len(),
                following,
                games: GamesLimit::Pause(PGN_PART_GAMES),
            };
            let report = &mut |at| {
                let file_bytes = Some(read.of_all());
                progress.borrow_mut()(Progress { file_bytes, ..at })
            };
            let surveyed = survey(text, scope, report)?;
            let (before, games) = (counter.before(), surveyed.index.game_count());
            counter.add_games(games);
            Ok((games > 0).then_some((surveyed.end, (surveyed, following, before))))
        };
        let counter = &mut self.counter;
        let stream = &mut self.stream;
        let cut = loop {
            match stream.next(&mut texts, counter, PGN_GAME_BYTES_MAX, find) {
                Ok(Some(Cut::Nothing)) => {}
                Ok(Some(cut)) => break cut,
                Ok(None) => return Ok(None),
                Err(error) => return Err(error.at_path(&self.path)),
            }
        };
        let file = File::open(&self.path, self.access)?;
        let mut notes = Vec::new();
        let part = match cut {
            Cut::Games(text, _, (surveyed, following, before)) => {
                PgnFile::of_part(file, (text, following), before, (depth, surveyed))
            }
            Cut::TooLong(place) => {
                let error = Error::limit(GAME_TOO_LONG, PGN_GAME_BYTES_MAX as u64);
                let error = error.in_game(place.number).at_line(place.line);
                notes.push(error.at_offset(place.offset_bytes).at_path(&self.path));
                let nothing = (OwnText::default(), Following::Nothing);
                PgnFile::of_part(file, nothing, place, (depth, Surveyed::default()))
            }
            Cut::Nothing => return Ok(None),
        };
        Ok(Some((part, notes)))
    }

    /// Returns how many bytes of the file have been read.
    pub fn bytes_read(&self) -> BytesRead {
        self.read.clone()
    }
}

/// Sends the text of an input until its end, or until nobody wants it.
fn read(input: &Input, part_bytes: usize, sender: &SyncSender<Next>) -> Result<()> {
    let mut reader = input.text()?;
    loop {
        let mut text = OwnText::with_room(ROOM_BYTES, part_bytes);
        let end = reader.add_to(&mut text, part_bytes)?;
        let is_more = matches!(end, StreamEnd::More);
        if sender.send(Ok((text, end))).is_err() || !is_more {
            return Ok(());
        }
    }
}

impl MoreText for Texts<'_, '_> {
    fn add_to(&mut self, pending: &mut OwnText, wanted: usize) -> Result<StreamEnd> {
        let mut end = StreamEnd::More;
        while pending.len() < wanted && matches!(end, StreamEnd::More) {
            let mut text;
            (text, end) = self.receive()?;
            text.prepend(pending);
            *pending = text;
        }
        Ok(end)
    }
}

impl Texts<'_, '_> {
    /// Waits for the next text.
    fn receive(&self) -> Result<(OwnText, StreamEnd)> {
        loop {
            match self.texts.recv_timeout(PAUSE) {
                Ok(next) => return next,
                Err(RecvTimeoutError::Disconnected) => {
                    return Ok((OwnText::default(), StreamEnd::Reached));
                }
                Err(RecvTimeoutError::Timeout) => {
                    let (done, total) = self.read.of_all();
                    if self.progress.borrow_mut()(Progress::of(done, total)).is_break() {
                        return Err(Error::interrupted());
                    }
                }
            }
        }
    }
}
