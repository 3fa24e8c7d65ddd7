//! `.cbtt`: of what a tournament has besides its name, the last day.

use crate::{
    error::{Error, Result},
    output::{Destination, Output},
    source::Source,
};

const SUFFIX: &str = "cbtt";
const HEADER_BYTES: usize = 32;
/// The version that is written, and the bytes of its records.
const VERSION: u32 = 3;
const RECORD_BYTES: usize = 65;
/// Records of older versions have no last day.
const DATE_AT: usize = 61;
/// More than the bytes of a record of any version.
const RECORD_BYTES_MAX: usize = 1 << 12;
/// Where the header has the number of the last record.
const LAST_AT: usize = 8;

/// The last days of new tournaments.
#[derive(Debug)]
pub(super) struct Details {
    /// The number of the first new tournament.
    begun: u32,
    /// The last day of each, packed, up to the last one that has one.
    dates: Vec<u32>,
    place: Place,
}

#[derive(Debug)]
enum Place {
    New,
    /// A database without the file, or of tournaments without last days: it is made for the first.
    Missing,
    Old {
        bytes: usize,
        stride: usize,
    },
}

impl Details {
    pub(super) fn new() -> Details {
        Details {
            begun: 0,
            dates: Vec::new(),
            place: Place::New,
        }
    }

    /// Goes on with the file of a database that has this number of tournaments; `None` if it has
    /// not the form that is known.
    pub(super) fn resume(file: Option<&Source>, tournaments: u32) -> Option<Details> {
        let place = match file {
            None => Place::Missing,
            Some(file) => {
                let stride = file.get(4..).and_then(|stride| stride.first_chunk());
                let stride = stride.map_or(0, |&stride| u32::from_le_bytes(stride)) as usize;
                let records = file.len().checked_sub(HEADER_BYTES)?;
                let fits = (DATE_AT..=RECORD_BYTES_MAX).contains(&stride);
                if !fits || !records.is_multiple_of(stride) {
                    return None;
                }
                let bytes = file.len();
                Place::Old { bytes, stride }
            }
        };
        Some(Details {
            begun: tournaments,
            dates: Vec::new(),
            place,
        })
    }

    /// Sets the last day of a tournament, packed. That of an old one stays.
    pub(super) fn set(&mut self, tournament: u32, date: u32) {
        let Some(nth) = tournament.checked_sub(self.begun).filter(|_| date != 0) else {
            return;
        };
        let nth = nth as usize;
        self.dates.resize(self.dates.len().max(nth + 1), 0);
        self.dates[nth] = date;
    }

    /// Returns the file; `None` if there is none and nothing to be said in it. `tournaments` is the
    /// number of all.
    ///
    /// # Errors
    /// `Io`; `Unsupported` if its records have no room for a last day.
    pub(super) fn into_output(
        self,
        tournaments: u32,
        place: &Destination,
    ) -> Result<Option<Output>> {
        let Place::Old { bytes, stride } = self.place else {
            if self.dates.is_empty() && matches!(self.place, Place::Missing) {
                return Ok(None);
            }
            return Output::whole(place, SUFFIX, &self.whole()).map(Some);
        };
        if !self.dates.is_empty() && stride < DATE_AT + size_of::<u32>() {
            let what = "the last day of a tournament in a file of this version of ChessBase (a \
                        database that `tabiya convert` makes has the one that is written)";
            return Err(Error::unsupported(what).at_path(&place.path(SUFFIX)));
        }
        let mut file = Output::growing(place, SUFFIX, bytes as u64)?;
        let old = (bytes - HEADER_BYTES) / stride;
        let mut record = vec![0; stride];
        for tournament in self.begun as usize..tournaments as usize {
            let date = self.dates.get(tournament - self.begun as usize);
            let date = date.copied().unwrap_or_default();
            // What stands there of a tournament that was not is no longer true.
            if date == 0 && tournament >= old {
                continue;
            }
            if let Some(field) = record.get_mut(DATE_AT..DATE_AT + size_of::<u32>()) {
                field.copy_from_slice(&date.to_be_bytes());
            }
            file.put((HEADER_BYTES + tournament * stride) as u64, &record)?;
        }
        let length = (file.length() as usize - HEADER_BYTES) / stride;
        if length > old {
            let last = (length - 1) as u32;
            file.overwrite(LAST_AT as u64, &last.to_le_bytes())?;
        }
        Ok(Some(file))
    }

    fn whole(&self) -> Vec<u8> {
        let zeros = if self.dates.is_empty() { 0 } else { self.begun };
        let dates = std::iter::repeat_n(&0, zeros as usize).chain(&self.dates);
        let last = (zeros as usize + self.dates.len()).saturating_sub(1) as u32;
        let mut bytes = [VERSION, RECORD_BYTES as u32, last]
            .map(u32::to_le_bytes)
            .concat();
        bytes.resize(HEADER_BYTES, 0);
        for date in dates {
            let mut record = [0; RECORD_BYTES];
            record[DATE_AT..].copy_from_slice(&date.to_be_bytes());
            bytes.extend_from_slice(&record);
        }
        bytes
    }
}
