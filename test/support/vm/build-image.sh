#!/bin/sh
# Builds a small guest system in memory: this machine's own programs, the modules of a Debian kernel, and an init that runs the printed
# collector once and sends its two streams over serial lines. Usage: build-image.sh KERNEL_RELEASE COLLECTOR OUT.cpio.gz
set -eu
release=$1 collector=$2 out=$3
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root/bin" "$root/dev" "$root/proc" "$root/sys" "$root/tmp" "$root/run" "$root/etc" "$root/root" "$root/var/log" "$root/lib/modules/$release"
ln -s bin "$root/sbin"
mkdir "$root/usr"
ln -s ../bin "$root/usr/bin"
ln -s ../bin "$root/usr/sbin"

libraries() { ldd "$1" 2>/dev/null | sed -n 's/.*=> \(\/[^ ]*\).*/\1/p; s/^[[:space:]]*\(\/[^ ]*ld[^ ]*\).*/\1/p'; }
copy() {
  [ -e "$root$1" ] && return 0
  mkdir -p "$root$(dirname "$1")"
  cp -L "$1" "$root$1"
  libraries "$1" | while read -r lib; do copy "$lib"; done
}
program() {
  path=
  for folder in /usr/bin /usr/sbin /bin /sbin; do [ -n "$path" ] || [ ! -x "$folder/$1" ] || path=$folder/$1; done
  [ -n "$path" ] || return 0
  real=$(readlink -f "$path")
  libraries "$real" | while read -r lib; do copy "$lib"; done
  cp -L "$real" "$root/bin/$(basename "$path")"
}
for name in sh cat ls dd head tail grep stat readlink id uname timeout nproc od wc who hostname renice ionice date printf sleep tr true \
  env sed awk cut sort uniq find dmidecode lspci lscpu lsblk findmnt ip ss ps sysctl perl taskset dmesg getconf getent ipmitool \
  systemd-detect-virt virt-what mount which stty modprobe insmod lsmod kmod swapon last; do program "$name"; done
for name in init poweroff; do cp /bin/busybox "$root/bin/$name"; done
mkdir -p "$root/usr/libexec"
[ ! -e /usr/libexec/virt-what-cpuid-helper ] || cp /usr/libexec/virt-what-cpuid-helper "$root/usr/libexec/"
perl=$(perl -MTime::HiRes -e 'print $INC{"Time/HiRes.pm"}' 2>/dev/null || true)
[ -z "$perl" ] || { mkdir -p "$root$(dirname "$(dirname "$perl")")"; cp -r "$(dirname "$(dirname "$perl")")/." "$root$(dirname "$(dirname "$perl")")/"; }

# facter is Ruby: its interpreter and libraries come along, so that it answers in the same guest.
if [ -x /usr/bin/facter ]; then
  program facter
  copy "$(readlink -f /usr/bin/ruby)"
  ln -s "$(basename "$(readlink -f /usr/bin/ruby)")" "$root/bin/ruby"
  for folder in /usr/lib/ruby /usr/lib/*/ruby /usr/share/rubygems-integration; do
    [ ! -d "$folder" ] || { mkdir -p "$root$folder"; cp -r "$folder/." "$root$folder/"; }
  done
  find /usr/lib/ruby /usr/lib/*/ruby -name '*.so' | while read -r file; do libraries "$file" | while read -r lib; do copy "$lib"; done; done
fi

for module in e1000 e1000e igb ahci ata_piix ata_generic sd_mod nvme virtio_pci virtio_net virtio_blk virtio_scsi virtio_balloon \
  virtio_rng virtio_console msr cpuid ipmi_si ipmi_devintf intel_rapl_msr coretemp qemu_fw_cfg i2c_i801 i2c_piix4 xhci_pci uhci_hcd \
  ehci_pci usbhid acpi_power_meter edac_core tpm_tis; do
  modprobe -S "$release" --show-depends "$module" 2>/dev/null | sed -n 's/^insmod \([^ ]*\).*/\1/p'
done | sort -u | while read -r file; do
  mkdir -p "$root$(dirname "$file")"
  cp "$file" "$root$file"
done
cp "/lib/modules/$release/modules.builtin" "/lib/modules/$release/modules.order" "$root/lib/modules/$release/" 2>/dev/null || true
depmod -b "$root" "$release" 2>/dev/null

printf 'root:x:0:0:root:/root:/bin/sh\nbwaudit:x:1000:1000::/root:/bin/sh\n' >"$root/etc/passwd"
printf 'root:x:0:\n' >"$root/etc/group"
printf 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\nVERSION_ID="12"\n' >"$root/etc/os-release"
printf 'guest\n' >"$root/etc/hostname"
cp "$collector" "$root/collector.sh"
cat >"$root/start" <<'START'
#!/bin/sh
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mount -t securityfs securityfs /sys/kernel/security 2>/dev/null
mount -t tmpfs run /run
hostname guest
for m in e1000 e1000e igb ahci ata_piix sd_mod nvme virtio_pci virtio_net virtio_blk virtio_scsi virtio_balloon virtio_rng msr cpuid ipmi_si ipmi_devintf \
  intel_rapl_msr coretemp qemu_fw_cfg i2c_i801 i2c_piix4 xhci_pci uhci_hcd ehci_pci usbhid tpm_tis; do modprobe -q "$m" 2>/dev/null; done
sleep 2
for line in /dev/ttyS1 /dev/ttyS2; do stty -F "$line" raw -echo -onlcr 115200; done
exec 4>/dev/ttyS1 5>/dev/ttyS2
sh /collector.sh >&4 2>&5
{ printf 'virt-what: '; virt-what 2>&1 | tr '\n' ' '; printf '\nsystemd-detect-virt: '; systemd-detect-virt 2>&1; printf 'facter: '; facter virtual 2>&1 | tail -n 1; echo 'guest: done'; } >/dev/ttyS0
sleep 1
poweroff -f
START
chmod +x "$root/start"
(cd "$root" && find . -print0 | cpio --null -o -H newc --quiet | gzip -1) >"$out"
