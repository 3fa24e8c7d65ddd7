//! Who may ask: those who mean this server, and pages of other sites only if it is public.
//!
//! A page of another site can give its own name the address of this machine (DNS rebinding). Its
//! requests then come here under that name, and its scripts could read the answers.

use std::{net::IpAddr, sync::Arc};

use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header, uri::Authority},
    middleware::Next,
    response::{IntoResponse, Response},
};

use crate::{errors::Fault, options::Options};

/// What the command line says about it.
#[derive(Debug)]
pub(crate) struct Access {
    listen: IpAddr,
    /// Names of this server, in small letters.
    hosts: Vec<String>,
    is_public: bool,
}

impl Access {
    pub(crate) fn new(options: &Options) -> Access {
        Access {
            listen: options.address().ip().to_canonical(),
            hosts: options.hosts.iter().map(|host| plain(host)).collect(),
            is_public: options.public,
        }
    }

    /// Tells whether a request for this host and port means this server. Ports do not matter:
    /// another one may lead here.
    fn is_own(&self, host: &str) -> bool {
        let Ok(authority) = host.parse::<Authority>() else {
            return false;
        };
        let name = plain(authority.host());
        match name.parse::<IpAddr>().map(|ip| ip.to_canonical()) {
            Ok(ip) if ip.is_loopback() || ip == self.listen => true,
            // Every address of this machine is listened on, and an address is no name that could
            // have been given to another machine.
            Ok(_) if self.listen.is_unspecified() => true,
            _ => name == "localhost" || name.ends_with(".localhost") || self.hosts.contains(&name),
        }
    }
}

/// Returns a host as it is compared.
fn plain(host: &str) -> String {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    let inner = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'));
    inner.map_or_else(|| host.clone(), str::to_owned)
}

/// Turns away requests to hosts that are not this one. Who names no host is no browser.
pub(crate) async fn own_host(
    State(access): State<Arc<Access>>,
    request: Request,
    next: Next,
) -> Response {
    let in_address = request.uri().authority().map(Authority::as_str);
    let in_headers = request.headers().get_all(header::HOST).iter();
    let mut named = in_headers
        .map(|host| host.to_str().unwrap_or_default())
        .chain(in_address);
    if named.all(|host| access.is_own(host)) {
        next.run(request).await
    } else {
        Fault::Elsewhere.into_response()
    }
}

/// Lets pages from everywhere read the answers of a public server, and answers browsers that ask
/// for that first.
pub(crate) async fn for_all_origins(
    State(access): State<Arc<Access>>,
    request: Request,
    next: Next,
) -> Response {
    const ANY: HeaderValue = HeaderValue::from_static("*");
    if !access.is_public {
        return next.run(request).await;
    }
    let is_question = request.method() == Method::OPTIONS;
    let mut response = if is_question {
        StatusCode::NO_CONTENT.into_response()
    } else {
        next.run(request).await
    };
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, ANY);
    if is_question {
        let methods = HeaderValue::from_static("GET, HEAD, POST, OPTIONS");
        headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, methods);
        let names = HeaderValue::from_static("Accept, Authorization, Content-Type");
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, names);
        headers.insert(
            header::ACCESS_CONTROL_MAX_AGE,
            HeaderValue::from_static("86400"),
        );
    }
    response
}

/// Checks that a request that changes something comes from the explorer's own page, or from no
/// page: browsers say where a posted request comes from, and ask before they post JSON elsewhere.
/// That the server is public makes no difference.
///
/// # Errors
/// `Refused`.
pub(crate) fn own_page(headers: &HeaderMap) -> Result<(), Fault> {
    const FOREIGN: Fault = Fault::Refused("only the explorer's own page may ask this");
    let text = |name: HeaderName| {
        headers
            .get(name)
            .map(|value| value.to_str().unwrap_or_default())
    };
    let is_json = text(header::CONTENT_TYPE).is_some_and(|kind| {
        let kind = kind.split(';').next();
        kind.is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
    });
    if !is_json {
        return Err(Fault::Refused("what is posted must be `application/json`"));
    }
    // Sent for addresses that browsers trust, and no script can change it.
    if text(HeaderName::from_static("sec-fetch-site")).is_some_and(|site| site != "same-origin") {
        return Err(FOREIGN);
    }
    let Some(origin) = text(header::ORIGIN) else {
        return Ok(());
    };
    let origin = origin.split_once("://");
    let host = text(header::HOST);
    match (origin, host) {
        (Some((_, origin)), Some(host)) if origin.eq_ignore_ascii_case(host) => Ok(()),
        _ => Err(FOREIGN),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(listen: &str) -> Access {
        Access {
            listen: listen.parse().expect("an address"),
            hosts: vec![plain("Chess.Example.")],
            is_public: false,
        }
    }

    #[test]
    fn loopback_the_address_and_named_hosts_mean_this_server() {
        let own = [
            "localhost",
            "LOCALHOST:9002",
            "localhost.",
            "a.localhost:1",
            "127.0.0.1:9002",
            "127.1.2.3",
            "[::1]:9002",
            "[::ffff:127.0.0.1]",
            "192.168.1.5:9002",
            "chess.example:443",
            "chess.EXAMPLE.",
        ];
        let other = [
            "",
            "evil.example",
            "localhost.evil.example",
            "evil-localhost",
            "chess.example.evil.example",
            "192.168.1.6",
            "127.0.0.1.evil.example",
            "localhost@evil.example",
            "evil.example:localhost",
            "0x7f000001",
            "2130706433",
            "a b",
        ];
        let access = access("192.168.1.5");
        for host in own {
            assert!(access.is_own(host), "{host}");
        }
        for host in other {
            assert!(!access.is_own(host), "{host}");
        }
    }

    #[test]
    fn who_listens_on_all_addresses_answers_for_addresses_and_not_for_names() {
        for listen in ["0.0.0.0", "::"] {
            let access = access(listen);
            assert!(access.is_own("192.168.1.6:80") && access.is_own("[fe80::1]:80"));
            assert!(!access.is_own("evil.example"));
        }
    }

    #[test]
    fn what_changes_something_comes_from_the_own_page_or_from_no_page() {
        let asked = |pairs: &[(&'static str, &'static str)]| {
            let pairs = pairs.iter().map(|(name, value)| {
                (
                    HeaderName::from_static(name),
                    HeaderValue::from_static(value),
                )
            });
            let mut headers: HeaderMap = pairs.collect();
            headers.insert(header::HOST, HeaderValue::from_static("localhost:9002"));
            own_page(&headers).is_ok()
        };
        let json = ("content-type", "application/json; charset=utf-8");
        assert!(asked(&[json]));
        assert!(asked(&[json, ("origin", "http://LOCALHOST:9002")]));
        let same = ("sec-fetch-site", "same-origin");
        assert!(asked(&[json, ("origin", "http://localhost:9002"), same]));
        for wrong in [
            ("origin", "http://localhost:9003"),
            ("origin", "http://localhost"),
            ("origin", "https://evil.example"),
            ("origin", "null"),
            ("origin", ""),
            ("sec-fetch-site", "same-site"),
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-site", "none"),
        ] {
            assert!(!asked(&[json, wrong]), "{wrong:?}");
        }
        // What a form of another site can send without being asked.
        for kind in [
            "text/plain",
            "application/x-www-form-urlencoded",
            "multipart/form-data",
        ] {
            assert!(!asked(&[("content-type", kind)]), "{kind}");
        }
        assert!(!asked(&[]));
    }
}
