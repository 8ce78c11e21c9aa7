import { describe, expect, test } from 'vitest'
import { accountsLocal } from '../../main/catalog/access/accounts/probes.ts'
import { parseProcesses, tenancyPods, tenancyProcesses } from '../../main/catalog/base/processes.ts'
import { gpuNvidia } from '../../main/catalog/hardware/gpu/nvidia.ts'
import { known, unknown } from '../../main/core/recording/probe.ts'
import { answer as captured, fact } from '../support/answers.ts'
import { changed, over, overDeclared, stepText } from '../support/concluded.ts'
import { answer, change, factOf, texts } from '../support/tenancy-readings.ts'

/** The account of Ubuntu’s images, which is on no roster here. On a server it has 1000 and here 1005, since the node’s first account has that. */
const UBUNTU = { name: 'ubuntu', uid: 1005, gid: 1005, home: '/home/ubuntu', shell: '/bin/bash' }
const LOCAL = changed(accountsLocal, (local) => ({ ...local, accounts: [...local.accounts, UBUNTU] }))

const UID = '5a1b7d5e-5c1f-4c62-9a6b-0d9f8f1f9f11'
const SCOPE = `cri-containerd-${'d'.repeat(64)}.scope`
// The control group of a pod such as metrics-server’s, whose manifest has runAsUser: 1000: ps prints the name of the account with that number.
const POD = `0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${UID.replaceAll('-', '_')}.slice/${SCOPE}`
const POD_V1 = `4:memory:/kubepods/burstable/pod${UID}/${'d'.repeat(64)},1:name=systemd:/kubepods/burstable/pod${UID}/${'d'.repeat(64)}`
/** A pod of a Kubernetes that the account runs in its own session. */
const OWN = `0::/user.slice/user-1005.slice/user@1005.service/app.slice/k3s.service${POD.slice(3)}`
const DOCKER = `0::/system.slice/docker-${'d'.repeat(64)}.scope`
const SESSION = '0::/user.slice/user-1005.slice/session-9.scope'

const row = (group: string): string => `   7001 ubuntu                           metrics-server  ${group}\n`
const withRow = (group: string) => {
  const more = fact(
    parseProcesses(`    PID USER                             COMMAND         CGROUP\n${row(group)}`),
  ).processes
  return changed(tenancyProcesses, (list) => ({ ...list, processes: [...list.processes, ...more] }))
}
const pods = (namespace: string) =>
  [tenancyPods, tenancyPods.parse({ pods: captured(`${namespace}_metrics-server-7c55d89d5d-8hq2v_${UID}\n`) })] as const

describe('a pod whose image runs under the number of an account that is not on the roster', () => {
  test.each([
    [POD, 'satisfied'],
    [POD_V1, 'satisfied'],
    [OWN, 'not-satisfied'],
    [DOCKER, 'not-satisfied'],
    [SESSION, 'not-satisfied'],
  ])('in %s: users %s', (group, verdict) => {
    const found = over('tenancy.user-census', LOCAL, withRow(group))
    expect([found.verdict, stepText(found)]).toEqual([
      verdict,
      expect.stringContaining(verdict === 'satisfied' ? 'An image chooses the number: “ubuntu”' : '“ubuntu”'),
    ])
  })

  test.each([
    [POD, 'kube-system', 'satisfied'],
    [POD_V1, 'kube-system', 'satisfied'],
    [POD, 'mortiz', 'satisfied'],
    [POD, 'globex', 'not-satisfied'],
    [OWN, 'kube-system', 'not-satisfied'],
    [DOCKER, 'kube-system', 'not-satisfied'],
  ])('in %s of %s: containers %s', (group, namespace, verdict) =>
    expect(over('tenancy.container-census', LOCAL, withRow(group), pods(namespace)).verdict).toBe(verdict),
  )

  test('without a folder of the pod its owner is open', () =>
    expect(over('tenancy.container-census', LOCAL, withRow(POD), [tenancyPods, known({ pods: [] })]).verdict).toBe(
      'inconclusive',
    ))

  // The kubelet keeps the folder of a pod that ended, such as of a job, until the pod is deleted; kubeadm reset leaves /var/log/pods in place.
  test.each([
    ['globex', [], 'inconclusive', 'none of which runs now: “globex”'],
    ['globex', [withRow(DOCKER.replace('docker-', 'unrelated-'))], 'inconclusive', 'none of which runs now'],
    ['globex', [withRow(POD)], 'not-satisfied', 'with pods here that are not on the declared roster: “globex”'],
    ['mortiz', [], 'satisfied', '“mortiz”'],
    // A node of OpenShift, and one that Rancher manages: their own parts.
    ['openshift-ovn-kubernetes', [withRow(POD)], 'satisfied', ''],
    ['cattle-fleet-system', [withRow(POD)], 'satisfied', ''],
    ['openshift-globex', [withRow(POD)], 'not-satisfied', '“openshift-globex”'],
  ] as const)('a folder of a pod in %s', (namespace, more, verdict, part) => {
    const found = over('tenancy.container-census', pods(namespace), ...more)
    expect([found.verdict, stepText(found)]).toEqual([verdict, expect.stringContaining(part)])
  })

  test.each([
    [POD, 'inconclusive'],
    [OWN, 'not-satisfied'],
    [DOCKER, 'not-satisfied'],
    [SESSION, 'not-satisfied'],
  ])('on a GPU, in %s: %s', (group, verdict) => {
    const onGpu = changed(gpuNvidia, ({ gpus, ...driver }) => ({
      ...driver,
      gpus: gpus.map((gpu, at) =>
        at === 0 ? { ...gpu, processes: [{ pid: 7001, type: 'C', memoryMib: 60_000 }] } : gpu,
      ),
    }))
    const found = over('tenancy.gpu-processes', LOCAL, withRow(group), onGpu)
    expect([found.verdict, stepText(found)]).toEqual([verdict, expect.stringContaining('“ubuntu”')])
    const root = overDeclared({ roster: ['mortiz'] }, 'tenancy.gpu-processes', onGpu, [
      tenancyProcesses,
      known({ processes: [{ pid: 7001, user: 'root', command: 'python3', cgroup: group }], isComplete: true }),
    ])
    expect(root.verdict).toBe(group === POD ? 'inconclusive' : 'not-satisfied')
  })

  // Its namespace shows whose work it is, whatever account of this server has the number that the image chose.
  test.each([
    [
      'mortiz',
      'root',
      'satisfied',
      'in pods of Kubernetes namespaces on the declared roster, or of Kubernetes itself: “mortiz”',
    ],
    ['mortiz', '65532', 'satisfied', '“mortiz”'],
    ['gpu-operator', 'root', 'satisfied', '“gpu-operator”'],
    [
      'globex',
      'root',
      'not-satisfied',
      'in pods of Kubernetes namespaces that are not on the declared roster: “globex”',
    ],
    ['globex', 'mortiz', 'not-satisfied', '“globex”'],
    [null, 'root', 'inconclusive', 'of which the Kubernetes namespace is not known'],
    [null, 'mortiz', 'inconclusive', 'of which the Kubernetes namespace is not known'],
    [null, '65532', 'inconclusive', '“65532”'],
  ] as const)('a GPU process in a pod of %s under %s: %s', (namespace, user, verdict, part) => {
    const onGpu = changed(gpuNvidia, ({ gpus, ...driver }) => ({
      ...driver,
      gpus: gpus.map((gpu, at) => ({
        ...gpu,
        processes: at === 0 ? [{ pid: 7001, type: 'C', memoryMib: null }] : gpu.processes,
      })),
    }))
    const inPod = changed(tenancyProcesses, (list) => ({
      ...list,
      processes: [...list.processes, { pid: 7001, user, command: 'python3', cgroup: POD }],
    }))
    const folders = namespace === null ? ([tenancyPods, unknown('not read')] as const) : pods(namespace)
    const found = over('tenancy.gpu-processes', onGpu, inPod, folders)
    expect([found.verdict, stepText(found)]).toEqual([verdict, expect.stringContaining(part)])
    const all = answer(onGpu, inPod, folders)
    expect(all.tenancy).toBe(
      { satisfied: 'single-observed', 'not-satisfied': 'shared', inconclusive: 'undetermined' }[verdict],
    )
  })

  test('the tenancy of the node', () => {
    const accounts = change(accountsLocal, { accounts: [...factOf(accountsLocal).accounts, UBUNTU] })
    const of = (group: string) => answer(accounts, withRow(group), pods('kube-system'))
    expect([of(POD).tenancy, texts(of(POD), 'contradicts')]).toEqual(['single-observed', ''])
    expect(of(DOCKER).tenancy).toBe('shared')
  })
})
