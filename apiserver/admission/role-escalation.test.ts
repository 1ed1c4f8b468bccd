import { admissionRequest } from '../../test/support/admission-request';
import { refusal } from '../../test/support/write-fixture';
import { NO_OPINION } from '../authorization/authorizer';
import { RbacPolicy } from '../authorization/rbac/policy';
import { roleEscalation } from './role-escalation';

it('lets others go first between the permissions that it compares', async () => {
  const plugin = roleEscalation({
    policy: new RbacPolicy(),
    authorizer: {
      authorize: () => NO_OPINION,
      rules: () => ({ resources: [], paths: [], incomplete: false, errors: [] }),
    },
    current: () => Promise.resolve(),
  });
  const resourceNames = Array.from({ length: 100 }, (_, at) => `n${at}`);
  const rules = [{ verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'], resourceNames }];
  let rests = 0;
  const rest = async (): Promise<void> => void (rests += 1);
  const context = { warn: () => undefined, isTurnOver: true, rest };
  const asked = admissionRequest({ kind: 'Role', object: { metadata: { name: 'r' }, rules }, context });
  expect(await refusal(Promise.resolve(plugin.mutate(asked)))).toMatchObject({ code: 403 });
  expect(rests).toBeGreaterThanOrEqual(200);
});
