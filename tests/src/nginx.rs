//! nginx as another proxy before the same upstream: what both of them do with the same bytes can be compared.

use std::{
    fs,
    net::{SocketAddr, TcpStream},
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};

use crate::{client::Client, client::pause, site::scratch, tools::find, upstream::Refusing};

/// How long it may take to start or to end.
const WAIT: Duration = Duration::from_secs(20);

/// A process that is ended when this is dropped.
#[derive(Debug)]
pub struct Nginx {
    child: Child,
    address: SocketAddr,
}

impl Nginx {
    /// Starts one that sends every request to an upstream, over connections that are kept. `None`: it is not on this machine, and that has been said.
    pub fn before(upstream: SocketAddr, name: &str) -> Option<Self> {
        let program = find("nginx")?;
        let directory = scratch("nginx").join(name);
        fs::create_dir_all(&directory).expect("a writable directory");
        let address = Refusing::new().address();
        let path = directory.join("nginx.conf");
        fs::write(&path, configuration(&directory, address, upstream)).expect("a writable file");
        let log = fs::File::create(directory.join("nginx.log")).expect("a writable file");
        let mut command = Command::new(program);
        command.arg("-e").arg(directory.join("start.log")).arg("-p").arg(&directory).arg("-c").arg(&path);
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn().expect("nginx starts");
        let nginx = Self { child, address };
        let deadline = Instant::now() + WAIT;
        while TcpStream::connect(address).is_err() {
            assert!(Instant::now() < deadline, "nginx does not listen: see {}", directory.display());
            pause(Duration::from_millis(5));
        }
        Some(nginx)
    }

    /// A new connection to it.
    pub fn client(&self) -> Client {
        Client::connect(self.address).foreign()
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // Its workers end with it on SIGTERM, not on SIGKILL.
        let id = Pid::from_child(&self.child);
        drop(kill_process(id, Signal::TERM).map(|()| self.child.wait()));
    }
}

fn configuration(directory: &Path, address: SocketAddr, upstream: SocketAddr) -> String {
    let directory = directory.display();
    format!(
        "worker_processes 1; daemon off; master_process off; pid {directory}/nginx.pid; error_log {directory}/error.log;
events {{ worker_connections 512; }}
http {{
    access_log off;
    client_body_temp_path {directory}/a; proxy_temp_path {directory}/b; fastcgi_temp_path {directory}/c; uwsgi_temp_path {directory}/d; scgi_temp_path {directory}/e;
    client_max_body_size 64m;
    keepalive_requests 1000000;
    upstream u {{ server {upstream}; keepalive 8; }}
    server {{
        listen {address};
        merge_slashes off;
        proxy_http_version 1.1;
        proxy_set_header Connection \"\";
        proxy_set_header Host $host;
        proxy_pass_header Server;
        proxy_pass_header Date;
        proxy_pass_header X-Accel-Buffering;
        proxy_request_buffering off;
        proxy_next_upstream off;
        location / {{ proxy_pass http://u; }}
    }}
}}
"
    )
}
