/**
 * Compares the managedFields of the controllers and the API server with those of upstream: manager, operation,
 * subresource and fields.
 */
import { CONTROLLERS } from '../../../controllers/table';
import recordedScenarios from './managers-scenarios.json';
import { SCENARIOS } from '../../replay/scenarios';
import type { ObservedState } from '../../replay/scenarios/scenario';
import { changeNamed } from '../../support/scenarios/observed-state';
import { replayControllers } from '../../support/scenarios/replay-controllers';

/** Adds an owner to the object with the given name. */
const withOwner =
  (name: string, owner: string) =>
  (state: ObservedState): ObservedState =>
    changeNamed(state, { name }, (object) => {
      const { owners } = object;
      return Array.isArray(owners) ? { ...object, owners: [...owners, owner].sort() } : object;
    });

const CONDITION = { '.': {}, 'f:lastTransitionTime': {}, 'f:message': {}, 'f:reason': {}, 'f:status': {}, 'f:type': {} };
const NAMESPACE_CONDITIONS = [
  'NamespaceContentRemaining',
  'NamespaceDeletionContentFailure',
  'NamespaceDeletionDiscoveryFailure',
  'NamespaceDeletionGroupVersionParsingFailure',
  'NamespaceFinalizersRemaining',
].map((type) => [`k:{"type":"${type}"}`, CONDITION] as const);
const NAMESPACE_STATUS = { 'f:status': { 'f:conditions': { '.': {}, ...Object.fromEntries(NAMESPACE_CONDITIONS) } } };

replayControllers('managers', {
  controllerArgs: [
    '--controllers=*,bootstrapsigner,tokencleaner',
    '--horizontal-pod-autoscaler-sync-period=1s',
    '--node-monitor-period=500ms',
    '--node-monitor-grace-period=4s',
    '--node-startup-grace-period=6s',
    '--node-eviction-rate=5',
    '--secondary-node-eviction-rate=2',
  ],
  deviations: {
    // The reference waits five seconds before it deletes the content of a namespace, and its state was recorded after
    // three.
    'own-namespace: deleted while something holds it': withOwner(
      '$NS-held',
      `kube-controller-manager Update status v1 ${JSON.stringify(NAMESPACE_STATUS)}`,
    ),
    // Without a selected role this controller applies an empty list of rules.
    'own-roles: none': withOwner('$NS-whole', 'clusterrole-aggregation-controller Apply  rbac.authorization.k8s.io/v1 {"f:rules":{}}'),
  },
});

/**
 * The scenario that records each controller's entries; `null` when the controller only deletes objects, so that no
 * entries remain, and for the development load balancer: its counterpart needs a cloud provider.
 */
const RECORDED: Readonly<Record<string, string | null>> = recordedScenarios;

test('each controller that writes objects has a recorded scenario', () => {
  expect(Object.keys(RECORDED).sort()).toEqual(CONTROLLERS.map(({ name }) => name).sort());
  const scenarios = ['managers', 'node-ipam'].flatMap((recording) => SCENARIOS.get(recording) ?? []).map(({ name }) => name);
  expect(Object.values(RECORDED).filter((name) => name !== null && !scenarios.includes(name))).toEqual([]);
});
