//! How the program begins: what it serves when nothing is named, where it listens, and whether the
//! browser shows the page.

use std::{io, net::SocketAddr, path::PathBuf};

use clap::{CommandFactory as _, Parser};
use clap_mangen::Man;
use tabiya::format::stands_for_database;
use tokio::net::TcpListener;

use crate::{options::Options, usual::Places};

/// Serves chess databases over HTTP: in the shapes of the Lichess opening explorer, and in ones
/// of its own that take whole queries.
#[derive(Debug, Clone, Parser)]
#[command(version, max_term_width = 100)]
pub struct Start {
    /// What is served, and how.
    #[command(flatten)]
    options: Options,

    /// Opens the page in the browser; if port 9002 is taken, on a free one. So it is anyway when
    /// no database is named
    #[arg(long, overrides_with = "no_open")]
    open: bool,

    /// Opens no browser
    #[arg(long, overrides_with = "open")]
    no_open: bool,

    /// Prints the manual page, in the form that `man` reads
    #[arg(long)]
    man: bool,
}

/// What is to be done.
#[derive(Debug)]
pub struct Beginning {
    /// What is served: of the command line, or found.
    pub options: Options,
    /// Whether the browser is to show the page.
    pub opens_page: bool,
    /// Whether another port will do when the usual one is taken.
    takes_any_port: bool,
}

impl Start {
    /// Returns the manual page, if that is what is asked for.
    #[must_use]
    pub fn manual(&self) -> Option<Vec<u8>> {
        let mut page = Vec::new();
        let is_written = self.man && Man::new(Start::command()).render(&mut page).is_ok();
        is_written.then_some(page)
    }

    /// Finds out what to do. When nothing is named, it is what lies in the usual folders, and
    /// famous games when nothing does.
    #[must_use]
    pub fn at(self, places: &Places) -> Beginning {
        let mut options = self.options;
        let page = &mut options.page;
        if !options.mcp {
            let is_folder = |path: &mut PathBuf| path.is_dir() && !stands_for_database(path);
            let folders = options.databases.extract_if(.., is_folder);
            page.folders.extend(folders);
        }
        let no_folder = page.folders.is_empty() && page.write.is_empty();
        let is_alone = options.databases.is_empty() && no_folder;
        if is_alone {
            page.folders = places.folders();
            options.sample = page.folders.is_empty();
        }
        let is_shown = (self.open || is_alone) && !options.mcp;
        Beginning {
            opens_page: is_shown && !self.no_open,
            takes_any_port: is_shown && options.listen.is_none(),
            options,
        }
    }
}

impl Beginning {
    /// Begins to listen.
    ///
    /// # Errors
    /// When that is not possible where the command line says, or nowhere.
    pub async fn listen(&self) -> io::Result<TcpListener> {
        let address = self.options.address();
        let bound = TcpListener::bind(address).await;
        let bound = match bound {
            Err(_) if self.takes_any_port => TcpListener::bind((address.ip(), 0)).await,
            bound => bound,
        };
        bound.map_err(|error| io::Error::other(format!("cannot listen on {address}: {error}")))
    }
}

/// Returns the address of the page for a browser on this machine.
#[must_use]
pub fn page_address(listening: SocketAddr) -> String {
    if listening.ip().is_unspecified() {
        format!("http://localhost:{}/", listening.port())
    } else {
        format!("http://{listening}/")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beginning(arguments: &[&str]) -> Beginning {
        let arguments = [&["tabiya-explorer"], arguments].concat();
        Start::parse_from(arguments).at(&Places::default())
    }

    #[test]
    fn the_browser_opens_when_nothing_is_named_or_when_asked_to() {
        for (arguments, opens) in [
            (&[][..], true),
            (&["--no-open"], false),
            (&["--open", "--no-open"], false),
            (&["games.pgn"], false),
            (&["games.pgn", "--open"], true),
            (&["--repertoire", "lines"], true),
            (&["games.pgn", "--repertoire", "lines"], false),
            (&["--open", "--listen", "127.0.0.1:1", "games.pgn"], true),
            (&["--open", "--mcp", "games.pgn"], false),
        ] {
            assert_eq!(beginning(arguments).opens_page, opens, "{arguments:?}");
        }
    }

    #[test]
    fn a_port_that_was_not_named_may_be_another_one_for_a_browser() {
        for (arguments, takes_any) in [
            (&[][..], true),
            (&["--no-open"], true),
            (&["games.pgn"], false),
            (&["--open", "games.pgn"], true),
            (
                &["--open", "--listen", "127.0.0.1:9002", "games.pgn"],
                false,
            ),
        ] {
            let takes = beginning(arguments).takes_any_port;
            assert_eq!(takes, takes_any, "{arguments:?}");
        }
    }

    #[tokio::test]
    async fn a_free_port_stands_in_for_a_taken_one() {
        let taken = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let mut beginning = beginning(&["games.pgn"]);
        let address = taken.local_addr().expect("an address");
        beginning.options.listen = Some(address);
        let error = beginning.listen().await.expect_err("it is taken");
        assert!(error.to_string().contains(&address.to_string()), "{error}");
        beginning.takes_any_port = true;
        assert!(beginning.listen().await.is_ok());
    }

    #[test]
    fn a_browser_is_sent_to_this_machine() {
        let page = |address: &str| page_address(address.parse().expect("an address"));
        assert_eq!(page("127.0.0.1:9002"), "http://127.0.0.1:9002/");
        assert_eq!(page("0.0.0.0:80"), "http://localhost:80/");
        assert_eq!(page("[::]:80"), "http://localhost:80/");
        assert_eq!(page("[::1]:80"), "http://[::1]:80/");
    }
}
