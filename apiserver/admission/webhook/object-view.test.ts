/** What a webhook can change in an object with a stored version of its own. */
import { storedRowOf, SERVED_KINDS } from '../../../shared/api/kinds';
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import { objectAt, type JsonObject } from '../../../shared/values/json';
import { kindView } from './object-view';

const METRICS = 'autoscaling.alpha.kubernetes.io/metrics';

/** The stored annotations of a HorizontalPodAutoscaler after a webhook set METRICS and `k` in its view in the version. */
function annotationsAfterPatch(version: string): unknown {
  const row = SERVED_KINDS.find((candidate) => candidate.kind === 'HorizontalPodAutoscaler' && candidate.version === version);
  if (row === undefined) throw new Error(`HorizontalPodAutoscaler is not served in ${version}`);
  expect(storedRowOf(row).version).toBe('v2');
  const object: JsonObject = { metadata: { name: 'a' }, spec: {} };
  const annotations = { [METRICS]: '[]', k: 'v' };
  kindView(row, GENERATED_NAMES.platform).applyChanged(object, {
    apiVersion: `autoscaling/${version}`,
    kind: row.kind,
    metadata: { name: 'a', annotations },
    spec: { maxReplicas: 1 },
  });
  return objectAt(objectAt(object, 'metadata'), 'annotations');
}

test.each(['v1', 'v2'])(
  'the response of a webhook cannot give a HorizontalPodAutoscaler %s annotations that encode fields of another version',
  (version) => {
    expect(annotationsAfterPatch(version)).toEqual({ k: 'v' });
  },
);
