import { defineProbe, known, runAsRoot, unknown } from '../../core/probe.ts'
import { lines } from '../read-text.ts'

export interface KubernetesCredentials {
  /** Files on this server that hold an administrator's credential of a cluster, and who may read them. */
  readonly files: readonly {
    readonly path: string
    readonly owner: string
    readonly group: string
    readonly mode: number
  }[]
}

const PLACES = [
  '/etc/kubernetes/admin.conf',
  '/etc/kubernetes/super-admin.conf',
  '/etc/rancher/k3s/k3s.yaml',
  '/etc/rancher/rke2/rke2.yaml',
  '/var/lib/k0s/pki/admin.conf',
  '/var/snap/microk8s/current/credentials/client.config',
  '/root/.kube/config',
] as const

/**
 * Where kubeadm, k3s, RKE2, k0s and MicroK8s put the credential of a cluster's administrator: the party that reads it administers the
 * cluster. Entries only, no file is opened. kubectl is not run: it writes a cache into the home folder, can start other programs, and calls
 * out.
 */
export const clusterKubernetes = defineProbe({
  id: 'cluster.kubernetes',
  title: 'Credentials of Kubernetes administrators on this server',
  why: 'A user who can read such a file controls every container of the cluster. Names, owners and modes only.',
  commands: {
    credentials: runAsRoot(['stat', '-c', '%a:%U:%G:%n', ...PLACES]),
  },
  parse({ credentials }) {
    const said = lines(credentials.errorText)
    const absent = said.filter((line) => /(No such file or directory|Not a directory)$/.test(line)).length
    const rows = lines(credentials.text).map((line) =>
      /^([0-7]{1,5}):([^:]{1,64}):([^:]{1,64}):(\/\S{1,128})$/.exec(line),
    )
    if (said.length > absent || rows.includes(null) || rows.length + absent !== PLACES.length)
      return unknown('the places of such credentials could not be looked at')
    return known<KubernetesCredentials>({
      files: rows.map((row) => ({
        path: row?.[4] ?? '',
        owner: row?.[2] ?? '',
        group: row?.[3] ?? '',
        mode: Number.parseInt(row?.[1] ?? '0', 8),
      })),
    })
  },
})
