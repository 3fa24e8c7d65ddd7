//! PGN of any length, mostly compressed, as a sequence of texts that fit into memory.

use std::{
    cell::RefCell,
    path::{Path, PathBuf},
    sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, channel, sync_channel},
    thread,
    time::Duration,
};

use tabiya_chess::Flow;

use super::{
    frame_text::{FrameText, Resume},
    gather::{Goal, gather, survey_pending, too_long},
    input::Input,
    opened::PgnFile,
    own_text::OwnText,
    packed::BytesRead,
    place::{Counter, Following},
    stream::{Cut, MoreText, Stream, StreamEnd},
    survey::{Depth, Surveyed},
};
use crate::{
    File, OpenSettings, Report,
    error::{Error, Result},
    limits::{PGN_GAME_BYTES_MAX, PGN_INDEXED_PART_TEXTS, PGN_PART_BYTES, PGN_PART_GAMES},
    progress::Progress,
};

/// Time between two questions whether to go on while no text is ready.
const PAUSE: Duration = Duration::from_millis(100);

/// Room in front of a text for the games at the end of the one before it.
const ROOM_BYTES: usize = 1 << 20;

const NOT_IN_FRAMES: &str =
    "an index of long text that is not packed by zstd in frames, as `pzstd` does,";

/// The next text of a file, and whether it is the last.
type Next = Result<(OwnText, StreamEnd)>;

/// Reads the parts of a file. Those that have an index are opened with it; the rest is read, while
/// a thread decompresses the next texts.
#[derive(Debug)]
pub struct PartReader {
    path: PathBuf,
    options: OpenSettings,
    read: BytesRead,
    source: TextSource,
    stream: Stream,
    counter: Counter,
    /// The number of the next part that may have an index.
    next: u32,
}

/// Where the text comes from.
#[derive(Debug)]
enum TextSource {
    /// Nothing has been read of it yet.
    Unread(Input, Option<Resume>),
    Thread(Receiver<Next>),
    /// All games are in parts that have an index.
    Over,
}

/// The texts of a file, to whoever waits for them.
struct Texts<'p, 'r> {
    source: &'p TextSource,
    read: &'p BytesRead,
    progress: &'p RefCell<Report<'r>>,
}

impl PartReader {
    /// Opens a file.
    ///
    /// # Errors
    /// Those of [`Input::open`].
    pub fn open(path: &Path, options: &OpenSettings) -> Result<PartReader> {
        let bytes = File::open(path, options.access)?.bytes;
        let input = Input::of_file(path, bytes, options.encoding)?;
        Ok(PartReader {
            path: path.to_owned(),
            options: options.clone(),
            read: input.bytes_read(),
            source: TextSource::Unread(input, None),
            stream: Stream::new(part_bytes(options)),
            counter: Counter::new(),
            next: 1,
        })
    }

    /// Returns the next part and notes about it; `None` at the end.
    ///
    /// # Errors
    /// `Io` if the compressed bytes are cut short or damaged where no frame follows, after all
    /// games before that, or if there can be no more threads; `Interrupted` if `progress` breaks.
    pub fn next(&mut self, progress: Report<'_>) -> Result<Option<(PgnFile, Vec<Error>)>> {
        if let Some(part) = self.next_stored()? {
            return Ok(Some((part, Vec::new())));
        }
        self.begin()?;
        let read = self.read.clone();
        let mut report = with_file(progress, &read);
        let progress = RefCell::new(&mut report as Report<'_>);
        let depth = Depth::of(&self.options);
        let find = |text: &[u8], following, counter: &mut Counter| {
            survey_pending(text, (depth, following, u64::MAX), counter, &progress)
        };
        let (mut texts, stream, counter) = self.texts(&progress);
        let cut = loop {
            match stream.next(&mut texts, counter, PGN_GAME_BYTES_MAX, find) {
                Ok(Some(Cut::Nothing)) => {}
                Ok(Some(cut)) => break cut,
                Ok(None) => return self.damaged(u64::MAX).map(|()| None),
                Err(error) => return Err(error.at_path(&self.path)),
            }
        };
        let file = File::open(&self.path, self.options.access)?;
        let damages = self.read.take_damages(u64::MAX).into_iter();
        let mut notes: Vec<_> = damages.map(|error| error.at_path(&self.path)).collect();
        let part = match cut {
            Cut::Games(text, _, (surveyed, following, before)) => {
                PgnFile::of_part(file, (text, following), before, (depth, surveyed))
            }
            Cut::TooLong(place) => {
                notes.push(too_long(place).at_path(&self.path));
                let nothing = (OwnText::default(), Following::Nothing);
                PgnFile::of_part(file, nothing, place, (depth, Surveyed::default()))
            }
            Cut::Nothing => return Ok(None),
        };
        Ok(Some((part, notes)))
    }

    /// Returns the next part that has an index or is to have one: up to 2^20 games or two gigabytes
    /// of text, which stay packed. `None` at the end. Memory is bounded by that of an index of such
    /// a part, some 300 MB, and of three texts.
    ///
    /// # Errors
    /// `Unsupported` for a text that is not in frames of moderate length; those of
    /// [`next`](PartReader::next).
    pub fn next_to_index(&mut self, progress: Report<'_>) -> Result<Option<PgnFile>> {
        if let Some(part) = self.next_stored()? {
            return Ok(Some(part));
        }
        let named = |error: Error| error.at_path(&self.path);
        if let TextSource::Unread(input, _) = &self.source
            && !input.is_in_frames()
        {
            return Err(named(Error::unsupported(NOT_IN_FRAMES)));
        }
        self.begin()?;
        let part_bytes = part_bytes(&self.options) as u64;
        let goal = Goal {
            games: PGN_PART_GAMES,
            bytes: part_bytes.saturating_mul(PGN_INDEXED_PART_TEXTS),
            end: u64::MAX,
        };
        let read = self.read.clone();
        let mut report = with_file(progress, &read);
        let progress = RefCell::new(&mut report as Report<'_>);
        let (mut texts, stream, counter) = self.texts(&progress);
        let gathered = gather(stream, &mut texts, counter, (Depth::All, goal), &progress);
        let path = &self.path;
        let Some((surveyed, before, is_last)) = gathered.map_err(|error| error.at_path(path))?
        else {
            return self.damaged(u64::MAX).map(|()| None);
        };
        let after = self.counter.before();
        // No game that is damaged so is indexed.
        self.damaged(after.offset_bytes)?;
        let places = self.read.frames_of(before.offset_bytes..after.offset_bytes);
        let frames = FrameText::new(places, before, after);
        let frames = frames.ok_or_else(|| Error::unsupported(NOT_IN_FRAMES).at_path(path))?;
        let file_end = self.read.frame_behind(after.offset_bytes);
        let frames = frames.ending(is_last, file_end);
        let file = File::open(path, self.options.access)?;
        let number = self.next;
        self.next += 1;
        Ok(Some(PgnFile::of_new_part(file, frames, number, surveyed)))
    }

    /// Returns the next part if it has an index and all before it have one. O(1): reads no text.
    ///
    /// # Errors
    /// `Io` if the file cannot be opened.
    pub fn next_stored(&mut self) -> Result<Option<PgnFile>> {
        let TextSource::Unread(_, from) = &mut self.source else {
            return Ok(None);
        };
        let file = File::open(&self.path, self.options.access)?;
        let Some((stored, _)) = self.options.index_of(&file, Some(self.next)) else {
            return Ok(None);
        };
        let before = self.counter.before();
        let part = PgnFile::of_stored_part(file, stored, self.next, before);
        if let Some(frames) = part.as_ref().and_then(PgnFile::frames) {
            let after = frames.after();
            if frames.is_last() {
                self.source = TextSource::Over;
            } else {
                *from = Some(frames.resume(after.offset_bytes));
            }
            self.counter = Counter::after(after);
            self.next += 1;
        }
        Ok(part)
    }

    /// Returns the damage that reading has gone on behind before an offset of the text, if there is
    /// some.
    fn damaged(&self, until: u64) -> Result<()> {
        let damaged = self.read.check_damages(until);
        damaged.map_err(|damage| damage.at_path(&self.path))
    }

    /// Begins to read the text behind the parts that have an index, if that has not begun.
    fn begin(&mut self) -> Result<()> {
        if let TextSource::Unread(..) = self.source {
            let part_bytes = part_bytes(&self.options);
            let (sender, texts) = sync_channel(1);
            let source = std::mem::replace(&mut self.source, TextSource::Thread(texts));
            thread::Builder::new()
                .spawn(move || {
                    let TextSource::Unread(input, from) = source else {
                        return;
                    };
                    if let Err(error) = read(&input, from, part_bytes, &sender) {
                        // Nobody waits for it any more if this fails.
                        let _ = sender.send(Err(error));
                    }
                })
                .map_err(|cause| Error::io("start a thread for", &self.path, cause))?;
        }
        Ok(())
    }

    /// Returns what is needed to read on.
    fn texts<'p, 'r>(
        &'p mut self,
        progress: &'p RefCell<Report<'r>>,
    ) -> (Texts<'p, 'r>, &'p mut Stream, &'p mut Counter) {
        let texts = Texts {
            source: &self.source,
            read: &self.read,
            progress,
        };
        (texts, &mut self.stream, &mut self.counter)
    }

    /// Returns how many bytes of the file have been read.
    pub fn bytes_read(&self) -> BytesRead {
        self.read.clone()
    }
}

/// Returns a callback that is also told how much of the file has been read.
fn with_file(progress: Report<'_>, read: &BytesRead) -> impl FnMut(Progress) -> Flow {
    |at| {
        let file_bytes = Some(read.of_all());
        progress(Progress { file_bytes, ..at })
    }
}

/// Returns the number of bytes of a text.
fn part_bytes(options: &OpenSettings) -> usize {
    usize::try_from(options.unpacked_bytes_max)
        .map_or(PGN_PART_BYTES, |bytes| bytes.clamp(1, PGN_PART_BYTES))
}

/// Sends the text of an input until its end, or until nobody wants it.
fn read(
    input: &Input,
    from: Option<Resume>,
    part_bytes: usize,
    sender: &SyncSender<Next>,
) -> Result<()> {
    let mut reader = input.text(from)?;
    let (home, spare) = channel();
    loop {
        let memory = spare.try_recv();
        let memory = memory.unwrap_or_else(|_| vec![0; ROOM_BYTES + part_bytes]);
        let mut text = OwnText::with_room(ROOM_BYTES, memory, home.clone());
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
            // A little text goes in front of the next; a game that is long grows.
            if text.prepend(pending) {
                *pending = text;
            } else {
                pending.push(&text);
            }
        }
        Ok(end)
    }
}

impl Texts<'_, '_> {
    /// Waits for the next text; it is empty if there is none.
    fn receive(&self) -> Next {
        let nothing = Ok((OwnText::default(), StreamEnd::Reached));
        let TextSource::Thread(texts) = self.source else {
            return nothing;
        };
        loop {
            match texts.recv_timeout(PAUSE) {
                Ok(next) => return next,
                Err(RecvTimeoutError::Disconnected) => return nothing,
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
