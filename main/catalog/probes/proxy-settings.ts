import { defineProbe, glob, known, run, unknown } from '../../core/probe.ts'
import { foundLines, grepIsComplete } from '../read-text.ts'

export interface ProxySettings {
  /** Files that name a proxy. What they name is not collected: such an address can hold a password. */
  readonly files: readonly string[]
}

/**
 * environment(7), apt.conf(5) Acquire::http::Proxy, dnf.conf(5) proxy, and /etc/sysconfig/proxy of SUSE. Only the name of the setting is
 * printed (grep -o up to the equals sign), never its value.
 */
export const proxySettings = defineProbe({
  id: 'network.proxies',
  title: 'Proxies for outgoing traffic',
  why: 'Shows whether outgoing traffic is configured to use a proxy. Only the names of settings are read, not the addresses.',
  commands: {
    names: run([
      'grep',
      '-HoiE',
      '^[[:space:]]*(export[[:space:]]+)?(https?_proxy|all_proxy|ftp_proxy|PROXY_ENABLED="?yes|Acquire::(https?|ftp)::Proxy|proxy[[:space:]]*=)',
      '/etc/environment',
      '/etc/sysconfig/proxy',
      '/etc/apt/apt.conf',
      glob('/etc/apt/apt.conf.d/*'),
      '/etc/dnf/dnf.conf',
      '/etc/yum.conf',
      glob('/etc/profile.d/*.sh'),
    ]),
  },
  parse({ names }) {
    if (!grepIsComplete(names)) return unknown('the settings for proxies could not all be read')
    return known<ProxySettings>({ files: [...new Set(foundLines(names.text).map(({ path }) => path))] })
  },
})
