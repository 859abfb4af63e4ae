//! A way to the database that can be cut.

use std::io;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread;

#[derive(Default)]
struct Lines {
    cut: bool,
    open: Vec<(TcpStream, UnixStream)>,
}

/// Passes on what comes over TCP to a socket file, until it is cut.
pub struct Proxy {
    pub address: SocketAddr,
    lines: Arc<Mutex<Lines>>,
}

impl Proxy {
    pub fn to(socket: PathBuf) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (address, lines) = (listener.local_addr().unwrap(), Arc::new(Mutex::new(Lines::default())));
        let shared = lines.clone();
        thread::spawn(move || {
            for near in listener.incoming().flatten() {
                let mut lines = shared.lock().unwrap();
                lines.open.retain(|(near, _)| near.peer_addr().is_ok());
                if let (false, Ok(far)) = (lines.cut, UnixStream::connect(&socket)) {
                    connect(&near, &far);
                    lines.open.push((near, far));
                }
            }
        });
        Self { address, lines }
    }

    /// Cuts every line and lets nobody through any more, or lets them through again.
    pub fn cut(&self, cut: bool) {
        let mut lines = self.lines.lock().unwrap();
        lines.cut = cut;
        if cut {
            for (near, far) in lines.open.drain(..) {
                near.shutdown(Shutdown::Both).ok();
                far.shutdown(Shutdown::Both).ok();
            }
        }
    }
}

fn connect(near: &TcpStream, far: &UnixStream) {
    let (mut from_near, mut to_near) = (near.try_clone().unwrap(), near.try_clone().unwrap());
    let (mut from_far, mut to_far) = (far.try_clone().unwrap(), far.try_clone().unwrap());
    thread::spawn(move || {
        io::copy(&mut from_near, &mut to_far).ok();
        to_far.shutdown(Shutdown::Both).ok();
    });
    thread::spawn(move || {
        io::copy(&mut from_far, &mut to_near).ok();
        to_near.shutdown(Shutdown::Both).ok();
    });
}
