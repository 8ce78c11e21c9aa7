/**
 * What is used on a port by convention (IANA service names, and the defaults of common software). `clear`: the protocol has no encryption
 * there; `optional`: the same port may carry encryption, which a port number cannot show; `encrypted`: the protocol is encrypted;
 * `control`: host plumbing that carries no user data (address assignment, time).
 */
export type Convention = 'clear' | 'optional' | 'encrypted' | 'control'

export interface PortConvention {
  readonly kind: Convention
  readonly service: string
}

const table = (kind: Convention, rows: string): readonly (readonly [string, PortConvention])[] =>
  rows
    .trim()
    .split('\n')
    .flatMap((row) => {
      const [ports = '', ...service] = row.trim().split(' ')
      return ports
        .split(',')
        .map((port): readonly [string, PortConvention] => [port, { kind, service: service.join(' ') }])
    })

const PORTS: ReadonlyMap<string, PortConvention> = new Map([
  ...table(
    'clear',
    `tcp/21 FTP
    tcp/23 Telnet
    udp/69 TFTP
    tcp/79 Finger
    tcp/80,tcp/8080,tcp/8000 HTTP
    tcp/8888 HTTP (Jupyter)
    tcp/512,tcp/513,tcp/514 remote shell services
    udp/514 syslog
    udp/161,udp/162 SNMP
    tcp/873 rsync
    tcp/1883 MQTT
    tcp/2375 Docker without TLS
    tcp/6000,tcp/6001 X11
    tcp/6379 Redis or Ray
    tcp/9100,tcp/9400,tcp/9090 metrics over HTTP
    tcp/10255 kubelet without TLS
    tcp/11211,udp/11211 memcached
    tcp/6817,tcp/6818,tcp/6819 Slurm
    tcp/8265 Ray dashboard over HTTP
    tcp/29500 PyTorch rendezvous (before NCCL connects)
    tcp/5555 GPU management (DCGM)
    tcp/6006 TensorBoard over HTTP
    tcp/111,udp/111 RPC port mapper
    udp/4789,udp/8472 VXLAN
    udp/6081 Geneve
    udp/4791 RDMA over Ethernet`,
  ),
  ...table(
    'optional',
    `tcp/25,tcp/587 mail
    tcp/110 POP3
    tcp/143 IMAP
    tcp/389 LDAP
    tcp/5000 container registry or other HTTP
    tcp/10001 Ray client
    tcp/139,tcp/445 SMB
    tcp/2049,udp/2049 NFS
    tcp/1433 SQL Server
    tcp/1521 Oracle
    tcp/3306 MySQL
    tcp/5432 PostgreSQL
    tcp/5672 AMQP
    tcp/5900,tcp/5901 VNC
    tcp/3389 remote desktop
    tcp/27017 MongoDB
    tcp/9200,tcp/9300 Elasticsearch
    tcp/9092 Kafka
    tcp/2181 ZooKeeper
    tcp/2379,tcp/2380 etcd
    tcp/3260 iSCSI
    tcp/4420 NVMe over TCP
    tcp/6789,tcp/3300 Ceph
    tcp/988 Lustre
    tcp/9000 object storage or other HTTP
    udp/53,tcp/53 DNS`,
  ),
  ...table(
    'encrypted',
    `tcp/22 SSH
    tcp/443,udp/443,tcp/8443 HTTPS
    tcp/465,tcp/993,tcp/995 mail over TLS
    tcp/636 LDAP over TLS
    tcp/853 DNS over TLS
    tcp/2376 Docker with TLS
    tcp/5671 AMQP over TLS
    tcp/5986 WinRM over TLS
    tcp/6443 Kubernetes API
    tcp/10250 kubelet with TLS
    tcp/6514 syslog over TLS
    udp/500,udp/4500 IPsec
    udp/51820 WireGuard`,
  ),
  ...table(
    'control',
    `udp/67,udp/68,udp/546,udp/547 address assignment
    udp/123 NTP
    udp/323 chrony control
    udp/319,udp/320 PTP
    udp/5353 local names
    udp/5355,tcp/5355 local names`,
  ),
])

export const conventionOf = (protocol: 'tcp' | 'udp', port: number): PortConvention | undefined =>
  PORTS.get(`${protocol}/${port}`)
