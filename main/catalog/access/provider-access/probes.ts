import { defineProbe, known, run, unknown } from '../../../core/recording/probe.ts'
import { isAbsent, lines, readUnits, showUnits } from '../../base/read-text.ts'

/**
 * Programs through which a person outside can run commands on a server, or reach its ports, without the SSH server deciding: those that
 * providers and images bring, and those of remote access products. Units and processes by the names that their packages install; the source
 * of each is the file list of the package or the manufacturer's own documentation of its service.
 */
export interface RemoteAgent {
  /** The name by which a fleet file declares it: an account of kind provider, or a service. */
  readonly name: string
  /** Who operates it: the provider, a manufacturer of management software, or the holder of an account of a remote access product. */
  readonly kind: 'provider' | 'management' | 'remote access'
  readonly units: readonly string[]
  /** Names of processes, at most 15 characters as the kernel keeps them (proc_pid_comm(5)). */
  readonly processes: readonly string[]
  readonly source: string
}

const agent = (
  name: string,
  kind: RemoteAgent['kind'],
  units: string,
  processes: string,
  source: string,
): RemoteAgent => ({ name, kind, units: units.split(' '), processes: processes.split(' ').filter(Boolean), source })

export const CLOUD_INIT = 'cloud-init'

export const REMOTE_AGENTS: readonly RemoteAgent[] = [
  agent(CLOUD_INIT, 'provider', 'cloud-init cloud-init-main', '', 'cloud-init documentation, “Boot stages”'),
  agent('waagent', 'provider', 'walinuxagent waagent', '', 'Azure/WALinuxAgent, init units'),
  agent(
    'google-guest-agent',
    'provider',
    'google-guest-agent google-guest-agent-manager google-startup-scripts',
    'google_guest_ag',
    'GoogleCloudPlatform/guest-agent, units',
  ),
  agent(
    'amazon-ssm-agent',
    'provider',
    'amazon-ssm-agent snap.amazon-ssm-agent.amazon-ssm-agent',
    'amazon-ssm-agen ssm-agent-worke',
    'AWS Systems Manager user guide, “Checking SSM Agent status”',
  ),
  agent(
    'oracle-cloud-agent',
    'provider',
    'oracle-cloud-agent snap.oracle-cloud-agent.oracle-cloud-agent',
    'oracle-cloud-ag',
    'Oracle Cloud documentation, “Oracle Cloud Agent”',
  ),
  agent(
    'qemu-guest-agent',
    'provider',
    'qemu-guest-agent qemu-ga',
    'qemu-ga',
    'QEMU documentation, “QEMU Guest Agent”',
  ),
  agent('vmtoolsd', 'provider', 'open-vm-tools vmtoolsd', 'vmtoolsd', 'vmware/open-vm-tools, units'),
  agent('droplet-agent', 'provider', 'droplet-agent', 'droplet-agent', 'digitalocean/droplet-agent, unit'),
  agent('azure-arc', 'management', 'himdsd gcad extd', 'himds', 'Microsoft Learn, “Azure Connected Machine agent”'),
  agent('landscape-client', 'management', 'landscape-client', 'landscape-clien', 'Canonical, landscape-client package'),
  agent('salt-minion', 'management', 'salt-minion', 'salt-minion', 'saltstack/salt, pkg units'),
  agent('puppet', 'management', 'puppet pxp-agent', 'pxp-agent', 'Puppet documentation, services of puppet-agent'),
  agent('chef-client', 'management', 'chef-client', 'chef-client', 'Chef documentation, chef-client systemd unit'),
  agent('rhcd', 'management', 'rhcd yggdrasil', 'rhcd yggd', 'Red Hat documentation, “Remote host configuration”'),
  agent('cockpit', 'management', 'cockpit.socket', 'cockpit-ws cockpit-tls', 'cockpit-project/cockpit, units'),
  agent('webmin', 'management', 'webmin', '', 'Webmin documentation, systemd unit'),
  agent('teleport', 'remote access', 'teleport', 'teleport', 'Teleport documentation, systemd unit'),
  agent('tailscale', 'remote access', 'tailscaled', 'tailscaled', 'tailscale/tailscale, tailscaled.service'),
  agent('zerotier', 'remote access', 'zerotier-one', 'zerotier-one', 'zerotier/ZeroTierOne, Debian package'),
  agent('netbird', 'remote access', 'netbird', 'netbird', 'netbirdio/netbird, package'),
  agent(
    'cloudflared',
    'remote access',
    'cloudflared',
    'cloudflared',
    'Cloudflare documentation, “Run as a service on Linux”',
  ),
  agent('ngrok', 'remote access', 'ngrok', 'ngrok', 'ngrok documentation, “ngrok service”'),
  agent('anydesk', 'remote access', 'anydesk', 'anydesk', 'AnyDesk for Linux, package'),
  agent('rustdesk', 'remote access', 'rustdesk', 'rustdesk', 'rustdesk/rustdesk, rustdesk.service'),
  agent('teamviewer', 'remote access', 'teamviewerd', 'teamviewerd', 'TeamViewer for Linux, package'),
  agent('meshcentral', 'remote access', 'meshagent', 'meshagent', 'Ylianst/MeshAgent, installer'),
]

/**
 * Agents whose unit starts on one kind of virtual machine alone: ConditionVirtualization=vmware of open-vm-tools, which Ubuntu’s server
 * installation brings everywhere, and the device that the unit of QEMU’s agent binds to. Elsewhere they are enabled and never start.
 */
export const GUEST_ONLY: Readonly<Record<string, string>> = { vmtoolsd: 'VMware', 'qemu-guest-agent': 'QEMU' }

/** Accounts that providers document for their own hands: “rack” of Rackspace’s support, “ssm-user” of AWS Systems Manager’s sessions. */
export const PROVIDER_ACCOUNTS: ReadonlySet<string> = new Set(['rack', 'ssm-user'])

export interface AgentUnits {
  /** Units that the service manager lists, by the name requested. */
  readonly units: ReadonlyMap<string, { readonly active: boolean; readonly atBoot: boolean }>
}

const UNITS = REMOTE_AGENTS.flatMap(({ units }) => units)

export const remoteAgents = defineProbe({
  id: 'access.remote-agents',
  title: 'Agents of providers and remote access products',
  why: 'Shows whether programs are installed through which a provider or another party can act on the server without logging in over SSH.',
  commands: {
    units: showUnits('LoadState,ActiveState,UnitFileState', UNITS),
  },
  parse({ units }) {
    const states = readUnits(units, UNITS)
    if (!states.ok) return states
    return known<AgentUnits>({
      units: new Map(
        [...states.fact].flatMap(([unit, state]) =>
          state.get('LoadState') === 'not-found'
            ? []
            : [
                [
                  unit,
                  {
                    active: /^(active|activating|reloading|refreshing)$/.test(state.get('ActiveState') ?? ''),
                    atBoot: /^(enabled|alias|generated)/.test(state.get('UnitFileState') ?? ''),
                  },
                ],
              ],
        ),
      ),
    })
  },
})

export interface CloudInit {
  readonly present: boolean
  readonly cloudName: string | null
  readonly region: string | null
  readonly availabilityZone: string | null
}

/**
 * The file that cloud-init leaves for every user (cloud-init docs, "Instance metadata", v1 keys). Only three lines are requested: older
 * releases left secrets in this file. Keys of the v1 object stand two spaces deep.
 */
export const cloudInit = defineProbe({
  id: 'cloud-init',
  title: 'Provider metadata from first boot (cloud-init)',
  why: 'Providers state region and zone when they set up a server. Three lines are read; no network request is made.',
  commands: {
    claims: run(['grep', '-E', '^  "(cloud_name|region|availability_zone)": ', '/run/cloud-init/instance-data.json']),
  },
  parse({ claims }) {
    if (isAbsent(claims))
      return known<CloudInit>({ present: false, cloudName: null, region: null, availabilityZone: null })
    if (claims.exitCode > 1) return unknown('the provider’s statement could not be read')
    const values = new Map(
      lines(claims.text).flatMap((line) => {
        const [, key, value] = /^ {2}"(cloud_name|region|availability_zone)": "([^"\\]{1,200})",?$/.exec(line) ?? []
        return key === undefined || value === undefined ? [] : [[key, value] as const]
      }),
    )
    return known<CloudInit>({
      present: true,
      cloudName: values.get('cloud_name') ?? null,
      region: values.get('region') ?? null,
      availabilityZone: values.get('availability_zone') ?? null,
    })
  },
})

/** Whether a unit of an agent runs or starts at boot. */
export const worksBy = ({ units }: AgentUnits, { name, units: own }: RemoteAgent): boolean =>
  own.some((unit) => units.get(unit)?.active === true || (units.get(unit)?.atBoot === true && !(name in GUEST_ONLY)))
