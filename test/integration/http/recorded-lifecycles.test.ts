/**
 * Replays the creation, changes and deletion of an object of each kind: responses and watch events of release 1.31.1.
 */
import { lifecycles, runLifecycle } from '../../replay/formats/lifecycle';
import { withCollectionDeletion } from '../../support/deviations/request-deviations';
import { useResource } from '../../support/use-resource';
import { useServer } from './fixture';
import { targetOver } from './request-targets';

const { cases } = lifecycles('writes/lifecycles');

const api = useServer({ naming: 'kubernetes' });
// In parallel, because each ends with a watch that lasts a second.
const replayed = useResource(() => Promise.all(cases.map(({ kind }) => runLifecycle(targetOver(api).send, kind, `life-${kind.name}`))));

test.each(cases.map((recorded, index) => [recorded.kind.name, index, recorded] as const))(
  'a %s is created, read, changed and deleted as recorded',
  (_name, index, { steps = [], ...recorded }) => {
    expect(replayed()[index]).toEqual({ ...recorded, steps: steps.map(withCollectionDeletion) });
  },
);
