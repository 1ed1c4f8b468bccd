/** Decisions that kube-scheduler 1.31.1 was recorded to make. */
import { resourceOf } from '../../../shared/client/rest/resource';
import { parseApiObject } from '../../../shared/client/rest/api-object';
import { isObject, type JsonValue } from '../../../shared/values/json';
import { readRecording } from '../../../test/replay/recording';
import {
  isSchedulingCase,
  isSchedulingHead,
  podManifest,
  POD_NAME,
  type RunningPod,
  type SchedulingCase,
} from '../../../test/replay/formats/scheduling-case';
import { SchedulerCache } from './scheduler-cache';
import { decideNode, type SchedulingDecision } from './decide';
import { podInfo } from './pod-info';
import type { VolumeView } from './volumes';

const { head, cases } = readRecording('scheduling/decisions', isSchedulingHead, isSchedulingCase);
const { namespace } = head;

describe('decide', () => {
  it.each(cases.map((recorded) => [recorded.title, recorded] as const))('makes the recorded decision about: %s', (_, recorded) => {
    expect(outcomeOf(decideCase(recorded))).toEqual(recordedOutcome(recorded));
  });
});

function decideCase({ nodes, pods = [], pod, volumes = [] }: SchedulingCase): SchedulingDecision {
  const state = new SchedulerCache(() => ({}));
  for (const node of nodes) state.setNode(parseApiObject(resourceOf('core.v1.Node'), node));
  for (const running of pods) state.setPod(createdPod(running));
  return decideNode({
    info: podInfo(createdPod({ ...pod, name: POD_NAME })),
    view: state,
    volumes: volumeView(volumes),
    budgets: [],
    random: 0,
  });
}

/** A pod as the API server stores it: the admission plug-in Priority sets `spec.priority`. */
function createdPod(given: Partial<RunningPod> & { readonly name: string }) {
  const { spec, ...manifest } = podManifest(namespace, given);
  const priority = given.priority ?? 0;
  return parseApiObject(resourceOf('core.v1.Pod'), { ...manifest, spec: { ...(isObject(spec) ? spec : {}), priority } });
}

function volumeView(objects: readonly JsonValue[]): VolumeView {
  const ofKind = (kind: string): readonly JsonValue[] => objects.filter((object) => isObject(object) && object['kind'] === kind);
  const claims = ofKind('PersistentVolumeClaim').map((object) => parseApiObject(resourceOf('core.v1.PersistentVolumeClaim'), object));
  const volumes = ofKind('PersistentVolume').map((object) => parseApiObject(resourceOf('core.v1.PersistentVolume'), object));
  const classes = ofKind('StorageClass').map((object) => parseApiObject(resourceOf('storage.v1.StorageClass'), object));
  return {
    claim: (_, name) => claims.find((claim) => claim.name === name),
    volume: (name) => volumes.find((volume) => volume.name === name),
    volumes: () => volumes,
    storageClass: (name) => classes.find((each) => each.name === name),
  };
}

type Outcome = Pick<SchedulingCase, 'node' | 'message' | 'nominated' | 'victims'>;

function outcomeOf(decision: SchedulingDecision): Outcome {
  if (decision.type === 'bind') return { node: decision.node };
  const { message, preemption } = decision;
  if (preemption === undefined) return { message };
  return { message, nominated: preemption.node, victims: preemption.victims.map(({ pod }) => pod.name).sort() };
}

/** A case without its title and its input. */
const recordedOutcome = ({
  title: _title,
  nodes: _nodes,
  pods: _pods,
  pod: _pod,
  volumes: _volumes,
  ...outcome
}: SchedulingCase): Outcome => outcome;
