import { formatTimestamp } from '../../../shared/api/metadata/object-meta';
import type { CoreV1ContainerStatus, CoreV1PodSpec, CoreV1PodStatus, MetaV1ObjectMeta } from '../../../shared/api/types/generated/members';
import { parseApiObject } from '../../../shared/client/rest/api-object';
import { resourceOf } from '../../../shared/client/rest/resource';
import type { Pod } from '../../../shared/client/rest/typed-objects';
import { conditionStatus } from '../../runtime/conditions';
import { nextPodStep } from './pod-life-cycle';
import { podSettings } from './pod-settings';

const START = Date.UTC(2026, 0, 1);
const JOB = { apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid: 'j', controller: true };

interface PodOptions {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: CoreV1PodSpec;
  readonly metadata?: MetaV1ObjectMeta;
}

/** Far more than the changes of any test, so that a pod that changes for ever ends the test. */
const MAX_STEPS = 1_000;

/** A pod on its node, and what its kubelet does with it. */
class PodRun {
  private now = START;
  private lastDescription = '';
  /** What each change of the status shows, after the seconds since the start: `1s Running Ready: c running`. */
  readonly changes: string[] = [];
  isDeleted = false;

  constructor(private pod: Pod) {}

  static of({ annotations = {}, spec = {}, metadata = {} }: PodOptions = {}): PodRun {
    const named = Object.fromEntries(Object.entries(annotations).map(([name, value]) => [`simulation.platform.io/${name}`, value]));
    const containers = [{ name: 'c', image: 'i' }];
    const body = { metadata: { namespace: 'n', name: 'p', uid: 'u', annotations: named, ...metadata }, spec: { containers, ...spec } };
    return new PodRun(parseApiObject(resourceOf('core.v1.Pod'), body));
  }

  get status(): CoreV1PodStatus {
    return this.pod.body.status ?? {};
  }

  /** Runs all changes that are due within the seconds. */
  advance(seconds: number): this {
    const end = this.now + 1000 * seconds;
    for (let steps = 0; steps < MAX_STEPS; steps += 1) {
      const { settings } = podSettings(this.pod);
      const step = nextPodStep({ pod: this.pod, settings, hostIps: ['172.30.0.1'], podIps: ['10.0.0.1'], now: this.now });
      if (JSON.stringify(step.status) !== JSON.stringify(this.status)) {
        this.replace({ ...this.pod.body, status: step.status });
        this.recordChange(describeStatus(step.status));
        continue;
      }
      this.isDeleted ||= step.canBeDeleted;
      if (step.dueAt === undefined || step.dueAt > end) break;
      this.now = Math.max(this.now + 1, step.dueAt);
    }
    this.now = end;
    return this;
  }

  delete(graceSeconds: number): this {
    const deletionTimestamp = formatTimestamp(this.now + 1000 * graceSeconds);
    const metadata = { ...this.pod.metadata, deletionTimestamp, deletionGracePeriodSeconds: graceSeconds };
    this.replace({ ...this.pod.body, metadata });
    return this;
  }

  /** Records nothing for a status that differs from the last one only in members that are not described. */
  private recordChange(description: string): void {
    if (description === this.lastDescription) return;
    this.lastDescription = description;
    this.changes.push(`${(this.now - START) / 1000}s ${description}`);
  }

  private replace(body: Pod['body']): void {
    this.pod = parseApiObject(resourceOf('core.v1.Pod'), body);
  }
}

function describeStatus(status: CoreV1PodStatus): string {
  const containers = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])].map(describeContainer);
  const ready = conditionStatus({ status }, 'Ready') === 'True' ? ' Ready' : '';
  return `${status.phase}${ready}: ${containers.join(', ')}`;
}

function describeContainer({ name, state = {}, restartCount = 0 }: CoreV1ContainerStatus): string {
  const { waiting, terminated } = state;
  const text = waiting?.reason ?? (terminated === undefined ? 'running' : `exited ${terminated.exitCode}`);
  return `${name} ${text}${restartCount === 0 ? '' : ` (${restartCount})`}`;
}

describe('nextPodStep', () => {
  it('starts a container after a second and makes the pod ready', () => {
    const run = PodRun.of().advance(60);
    expect(run.changes).toEqual(['0s Pending: c ContainerCreating', '1s Running Ready: c running']);
    expect(run.status).toMatchObject({
      podIP: '10.0.0.1',
      hostIP: '172.30.0.1',
      hostIPs: [{ ip: '172.30.0.1' }],
      startTime: '2026-01-01T00:00:00Z',
    });
  });

  it('waits for the delays of annotations', () => {
    const run = PodRun.of({ annotations: { 'start-delay': '5s', 'ready-delay': '10s' } }).advance(60);
    expect(run.changes).toEqual(['0s Pending: c ContainerCreating', '5s Running: c running', '15s Running Ready: c running']);
  });

  it('waits for the initial delays of probes', () => {
    const probe = (initialDelaySeconds: number) => ({ initialDelaySeconds, tcpSocket: { port: 80 } });
    const containers = [{ name: 'c', image: 'i', startupProbe: probe(2), readinessProbe: probe(3) }];
    const run = PodRun.of({ spec: { containers } }).advance(4);
    expect(run.status.containerStatuses).toMatchObject([{ started: true, ready: false }]);
    expect(run.advance(2).status.containerStatuses).toMatchObject([{ started: true, ready: true }]);
  });

  it('completes a pod of a Job after a second', () => {
    const run = PodRun.of({ spec: { restartPolicy: 'Never' }, metadata: { ownerReferences: [JOB] } }).advance(60);
    expect(run.changes).toEqual(['0s Pending: c ContainerCreating', '1s Running Ready: c running', '2s Succeeded: c exited 0']);
  });

  it('runs a pod with the restart policy Never until it is deleted when no Job owns it', () => {
    expect(PodRun.of({ spec: { restartPolicy: 'Never' } }).advance(86_400).status.phase).toBe('Running');
  });

  it('fails a pod whose container is never restarted', () => {
    const run = PodRun.of({ spec: { restartPolicy: 'Never' }, annotations: { 'exit-code': '3', 'run-duration': '4s' } }).advance(60);
    expect(run.changes.at(-1)).toBe('5s Failed: c exited 3');
  });

  it('restarts a failing container with a growing back-off', () => {
    const run = PodRun.of({ annotations: { 'exit-code': '1' } }).advance(80);
    expect(run.changes.slice(1)).toEqual([
      '1s Running Ready: c running',
      '2s Running Ready: c running (1)',
      '3s Running: c CrashLoopBackOff (1)',
      '13s Running Ready: c running (2)',
      '14s Running: c CrashLoopBackOff (2)',
      '34s Running Ready: c running (3)',
      '35s Running: c CrashLoopBackOff (3)',
      '75s Running Ready: c running (4)',
      '76s Running: c CrashLoopBackOff (4)',
    ]);
    expect(run.status.containerStatuses?.[0]?.lastState?.terminated).toMatchObject({ exitCode: 1, reason: 'Error' });
  });

  it('lets a container run after its failing runs', () => {
    const run = PodRun.of({ annotations: { 'exit-code': '1', 'failing-runs': '2' } }).advance(3_600);
    expect(run.changes.at(-1)).toBe('13s Running Ready: c running (2)');
  });

  it('completes a pod of a Job with the restart policy OnFailure on a later run', () => {
    const spec = { restartPolicy: 'OnFailure' };
    const run = PodRun.of({ spec, metadata: { ownerReferences: [JOB] }, annotations: { 'exit-code': '1', 'failing-runs': '1' } }).advance(
      60,
    );
    expect(run.changes.at(-1)).toBe('3s Succeeded: c exited 0 (1)');
  });

  it('runs init containers in order and keeps sidecars running beside the containers', () => {
    const initContainers = [
      { name: 'first', image: 'i' },
      { name: 'sidecar', image: 'i', restartPolicy: 'Always' },
      { name: 'last', image: 'i' },
    ];
    const run = PodRun.of({ spec: { initContainers }, annotations: { 'init-duration': '2s' } }).advance(60);
    expect(run.changes).toEqual([
      '0s Pending: first PodInitializing, sidecar PodInitializing, last PodInitializing, c PodInitializing',
      '1s Pending: first running, sidecar PodInitializing, last PodInitializing, c PodInitializing',
      '3s Pending: first exited 0, sidecar running, last running, c PodInitializing',
      '5s Running Ready: first exited 0, sidecar running, last exited 0, c running',
    ]);
    expect(conditionStatus({ status: run.status }, 'Initialized')).toBe('True');
  });

  it('ends sidecars when the containers of a Job have ended', () => {
    const spec = { restartPolicy: 'Never', initContainers: [{ name: 'sidecar', image: 'i', restartPolicy: 'Always' }] };
    const run = PodRun.of({ spec, metadata: { ownerReferences: [JOB] } }).advance(60);
    expect(run.changes.at(-1)).toBe('2s Succeeded: sidecar exited 0, c exited 0');
  });

  it('never starts a container with a waiting reason', () => {
    const run = PodRun.of({ annotations: { 'waiting-reason': 'ImagePullBackOff' } }).advance(86_400);
    expect(run.changes).toEqual(['0s Pending: c ImagePullBackOff']);
  });

  it('makes a pod ready only when its readiness gates are met', () => {
    const run = PodRun.of({ spec: { readinessGates: [{ conditionType: 'example.com/gate' }] } }).advance(60);
    expect(conditionStatus({ status: run.status }, 'ContainersReady')).toBe('True');
    expect(conditionStatus({ status: run.status }, 'Ready')).toBe('False');
  });

  it('stops a deleted pod after its termination delay, and then lets it be deleted', () => {
    const run = PodRun.of({ annotations: { 'termination-delay': '5s' } })
      .advance(10)
      .delete(30);
    expect(run.advance(4).isDeleted).toBe(false);
    expect(run.advance(2).isDeleted).toBe(true);
    expect(run.changes.at(-1)).toBe('15s Failed: c exited 143');
  });

  it('kills a container that does not stop within the grace period', () => {
    const run = PodRun.of({ annotations: { 'termination-delay': '1h' } })
      .advance(10)
      .delete(30)
      .advance(31);
    expect(run.isDeleted).toBe(true);
    expect(run.changes.at(-1)).toBe('40s Failed: c exited 137');
  });

  it('deletes a completed pod at once and keeps its phase', () => {
    const run = PodRun.of({ spec: { restartPolicy: 'Never' }, metadata: { ownerReferences: [JOB] } })
      .advance(10)
      .delete(30)
      .advance(5);
    expect(run.isDeleted).toBe(true);
    expect(run.status.phase).toBe('Succeeded');
  });

  it('does not repeat a deletion that finalizers hold up', () => {
    const run = PodRun.of().advance(10).delete(0).advance(60);
    expect(run.isDeleted).toBe(false);
    expect(run.status.phase).toBe('Failed');
  });

  it('fails a pod whose activeDeadlineSeconds have passed since its start, with the reason of release 1.31.1', () => {
    const run = PodRun.of({ spec: { activeDeadlineSeconds: 8, terminationGracePeriodSeconds: 30 } }).advance(60);
    expect(run.changes).toEqual(['0s Pending: c ContainerCreating', '1s Running Ready: c running', '8s Failed: c exited 143']);
    expect(run.status).toMatchObject({
      phase: 'Failed',
      reason: 'DeadlineExceeded',
      message: 'Pod was active on the node longer than the specified deadline',
    });
    expect(conditionStatus({ status: run.status }, 'Ready')).toBe('False');
  });
});
