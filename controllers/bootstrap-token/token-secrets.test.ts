import { BOOTSTRAP_TOKEN_SECRET_TYPE } from '../../shared/names/bootstrap-token';
import { GENERATED_NAMES } from '../../shared/names/dialect';
import { jsonResponse } from '../../test/support/controllers/fake-api';
import { fakeClient } from '../../test/support/controllers/fake-client';
import { fakeContext } from '../../test/support/controllers/fake-context';
import { waitForSync } from '../runtime/controller';
import { TokenSecrets } from './token-secrets';

const { systemNamespace: namespace } = GENERATED_NAMES.platform;

test.each(Object.values(BOOTSTRAP_TOKEN_SECRET_TYPE))(
  'TokenSecrets finds a Secret that the server lists only for the type %s',
  async (type) => {
    const fake = fakeClient();
    const secret = { metadata: { namespace, name: 'bootstrap-token-abcdef', uid: 'u', resourceVersion: '1' }, type };
    fake.api.intercept = ({ path }) => {
      const query = new URL(path, 'http://server').searchParams;
      if (query.get('watch') === '1') return undefined;
      const items = query.get('fieldSelector') === `type=${type}` ? [secret] : [];
      return jsonResponse(200, { kind: 'List', metadata: { resourceVersion: String(fake.api.version) }, items });
    };
    const controller = new AbortController();
    const secrets = new TokenSecrets({ ...fakeContext(fake, controller.signal), names: GENERATED_NAMES.platform });
    const removeHandlers = secrets.handle({ added: () => undefined, updated: () => undefined, deleted: () => undefined });
    expect(await waitForSync(secrets.informers, controller.signal)).toBe(true);
    expect(secrets.byKey(`${namespace}/bootstrap-token-abcdef`)?.uid).toBe('u');
    expect(secrets.list().map(({ uid }) => uid)).toEqual(['u']);
    expect(secrets.byKey(`${namespace}/bootstrap-token-other`)).toBeUndefined();
    removeHandlers();
    controller.abort();
  },
);
