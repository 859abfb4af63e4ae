//! Where a request comes from: what is counted by address, and who is believed about it.

use std::net::{IpAddr, SocketAddr};

use actix_web::http::header::{HeaderMap, X_FORWARDED_FOR};
use ipnet::IpNet;

/// The client's address: of who is connected; or, where that is a trusted proxy, the last address in `X-Forwarded-For`
/// that is none. What stands before that anybody may have written.
pub fn client_address(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let peer = peer.to_canonical();
    let is_trusted = |address: IpAddr| trusted.iter().any(|net| net.contains(&address));
    if !is_trusted(peer) {
        return peer;
    }
    let mut nearest = peer;
    let lines: Vec<&str> = headers.get_all(X_FORWARDED_FOR).map(|value| value.to_str().unwrap_or_default()).collect();
    for hop in lines.iter().rev().flat_map(|line| line.rsplit(',')) {
        // What can't be read hides whatever stands before it.
        let Some(address) = read(hop.trim()) else { break };
        nearest = address;
        if !is_trusted(address) {
            break;
        }
    }
    nearest
}

/// An address, with a port or without one.
fn read(hop: &str) -> Option<IpAddr> {
    let address = hop.parse().ok().or_else(|| hop.parse().ok().map(|with_port: SocketAddr| with_port.ip()));
    address.or_else(|| hop.strip_prefix('[')?.strip_suffix(']')?.parse().ok()).map(|it: IpAddr| it.to_canonical())
}

/// What is counted together: an IPv4 address; of IPv6 a /64, the least that anybody is given.
pub fn network(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => address.to_ipv6_mapped().to_bits(),
        IpAddr::V6(address) => address.to_bits() >> 64 << 64,
    }
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;

    use super::*;

    fn found(peer: &str, forwarded: &[&str], trusted: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        for line in forwarded {
            headers.append(X_FORWARDED_FOR, HeaderValue::from_str(line).unwrap());
        }
        let trusted: Vec<IpNet> = trusted.iter().map(|net| net.parse().unwrap()).collect();
        client_address(peer.parse().unwrap(), &headers, &trusted).to_string()
    }

    #[test]
    fn only_a_trusted_proxy_is_believed() {
        let proxies = ["10.0.0.0/8", "fd00::/8"];
        for (peer, forwarded, expected) in [
            ("198.51.100.7", &["203.0.113.1"][..], "198.51.100.7"),
            ("10.0.0.1", &[], "10.0.0.1"),
            ("10.0.0.1", &["203.0.113.1"], "203.0.113.1"),
            ("fd00::1", &["2001:db8::1"], "2001:db8::1"),
            ("::ffff:10.0.0.1", &["203.0.113.1"], "203.0.113.1"),
            // What the client wrote itself stands before what the proxies added.
            ("10.0.0.1", &["6.6.6.6, 203.0.113.1"], "203.0.113.1"),
            ("10.0.0.1", &["6.6.6.6", "203.0.113.1"], "203.0.113.1"),
            ("10.0.0.1", &["10.6.6.6, 203.0.113.1"], "203.0.113.1"),
            ("10.0.0.1", &["203.0.113.1, 10.0.0.2"], "203.0.113.1"),
            ("10.0.0.1", &["203.0.113.1, 10.0.0.2", "10.0.0.3"], "203.0.113.1"),
            ("10.0.0.1", &["203.0.113.1:4711"], "203.0.113.1"),
            ("10.0.0.1", &["[2001:db8::1]:4711"], "2001:db8::1"),
            ("10.0.0.1", &["[2001:db8::1]"], "2001:db8::1"),
            ("10.0.0.1", &["::ffff:203.0.113.1"], "203.0.113.1"),
            // What can't be read is nobody's address, and what stands before it nobody's word.
            ("10.0.0.1", &["203.0.113.1, nonsense"], "10.0.0.1"),
            ("10.0.0.1", &["203.0.113.1, nonsense, 10.0.0.2"], "10.0.0.2"),
            ("10.0.0.1", &[""], "10.0.0.1"),
            ("10.0.0.1", &["10.0.0.9, 10.0.0.2"], "10.0.0.9"),
        ] {
            assert_eq!(found(peer, forwarded, &proxies), expected, "{peer} {forwarded:?}");
            assert_eq!(found(peer, forwarded, &[]), peer.trim_start_matches("::ffff:"), "{peer} {forwarded:?}");
        }
    }

    #[test]
    fn an_address_of_ipv6_is_as_wide_as_a_network() {
        let of = |text: &str| network(text.parse().unwrap());
        assert_eq!(of("2001:db8:1:2::1"), of("2001:db8:1:2:ffff::9"));
        assert_ne!(of("2001:db8:1:2::1"), of("2001:db8:1:3::1"));
        assert_ne!(of("203.0.113.1"), of("203.0.113.2"));
    }
}
