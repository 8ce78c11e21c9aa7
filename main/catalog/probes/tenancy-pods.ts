import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { isAbsent, lines } from '../read-text.ts'
import { kindsOf } from '../steady.ts'

export interface Pods {
  /** `uid` is how the control groups of the pod name it too. */
  readonly pods: readonly { readonly namespace: string; readonly name: string; readonly uid: string }[]
}

/** The kubelet keeps one folder per pod, named namespace_pod_uid (kubernetes pkg/kubelet/kuberuntime/helpers.go, BuildPodLogsDirectory). */
export const tenancyPods = defineProbe({
  id: 'tenancy.pods',
  title: 'Kubernetes pods on this server',
  why: 'Shows which Kubernetes namespaces have work on this server. Names only; no log is opened.',
  ignoredInDrift: {
    why: 'The cluster starts and ends pods automatically; only the namespaces with pods are compared. Not detected: a further pod in a namespace that already has some.',
    normalize: ({ pods }: Pods) => ({ namespaces: kindsOf(pods.map(({ namespace }) => namespace)) }),
  },
  commands: { pods: run(['ls', '-1', '/var/log/pods']) },
  parse({ pods }) {
    if (isAbsent(pods)) return known<Pods>({ pods: [] })
    if (pods.exitCode !== 0) return unknown('the list of pods could not be read')
    const read = lines(pods.text).map((name) =>
      /^([a-z0-9.-]{1,63})_([a-z0-9.-]{1,253})_([0-9a-f-]{16,40})$/.exec(name),
    )
    if (read.includes(null)) return unknown('a folder in the list of pods has another name than pods have')
    return known<Pods>({
      pods: read.map((match) => ({ namespace: match?.[1] ?? '', name: match?.[2] ?? '', uid: match?.[3] ?? '' })),
    })
  },
})
