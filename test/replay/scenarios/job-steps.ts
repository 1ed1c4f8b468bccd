/** What scenarios of Jobs are made of: Jobs, and what becomes of their pods when the steps play the kubelet. */
import type { Body, Json } from '../reference';
import { create, patch, type Act, type Look } from './scenario';

export const JOB_FOLDER = '/apis/batch/v1/namespaces/$NS/jobs';
export const JOB = `${JOB_FOLDER}/j`;
/** A plain reading of what the controller tells about each pod's deletion and creation. */
export const JOB_EVENTS: Look = { path: 'events', members: ['involvedObject', 'type', 'reason', 'message', 'source'] };
export const JOB_LOOKS: readonly Look[] = [{ path: JOB_FOLDER, members: ['status'] }, { path: 'pods', members: [] }, JOB_EVENTS];

export const podTemplate = (spec: Body = {}, metadata: Body = {}): Body => ({
  metadata,
  spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }], ...spec },
});

export const job = (spec: Body, metadata: Body = {}): Act =>
  create(JOB_FOLDER, { metadata: { name: 'j', ...metadata }, spec: { template: podTemplate(), ...spec } });

export const changed = (spec: Body): Act => patch(JOB, { spec });

/** `which` = pods, as in a path. */
export const statusOf = (which: string, status: Body): Act => patch(`pods/${which}/status`, { status });

export const runs = (which: string): Act =>
  statusOf(which, { phase: 'Running', conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2020-01-01T00:00:00Z' }] });

/** Long ago, so that what takes its place need not wait. */
const AGO = '$NOW-3600s';

function ended(phase: string, exitCode: number, conditions: Json[]): Body {
  const terminated = { exitCode, startedAt: AGO, finishedAt: AGO };
  const container = { name: 'c', image: 'i', imageID: '', ready: false, restartCount: 0, state: { terminated } };
  return { phase, conditions, containerStatuses: [container] };
}

export const succeeds = (which: string): Act => statusOf(which, ended('Succeeded', 0, []));

export const fails = (which: string, exitCode = 1, conditions: Json[] = []): Act => statusOf(which, ended('Failed', exitCode, conditions));

export const DISRUPTED: Body = { type: 'DisruptionTarget', status: 'True', lastTransitionTime: '2020-01-01T00:00:00Z' };
