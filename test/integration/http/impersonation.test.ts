/** Impersonation headers: which requests they apply to, and which headers are refused or ignored. */
import { ALICE } from './api-call';
import { useServer } from './fixture';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';

const api = useServer();

describe('impersonation', () => {
  beforeAll(() => api.createConfigMap('kept'));
  const HEADERS = ['Impersonate-User', 'Impersonate-Group', 'Impersonate-Uid', 'Impersonate-Extra-Scopes', 'impersonate-extra-'];

  it.each(HEADERS)('with the header %s is never carried out as the requesting user', async (header) => {
    for (const options of [{}, { local: true, token: null }]) {
      const response = await api.call(`${CONFIGMAPS}/kept`, { method: 'DELETE', headers: { [header]: 'dev' }, ...options });
      expect(response.status).toBe(header === 'Impersonate-User' ? 403 : 400);
    }
    expect((await api.get(`${CONFIGMAPS}/kept`)).status).toBe(200);
  });

  it('as 2,000 groups is authorized for each of them', async () => {
    const headers = { 'Impersonate-User': 'dev', 'Impersonate-Group': Array.from({ length: 2_000 }, (_, n) => `g${n}`) };
    expect((await api.get('/api', { headers })).status).toBe(200);
    expect((await api.get('/api', { headers, token: ALICE })).status).toBe(403);
  });

  it('requires a requesting user that is authenticated', async () => {
    expect((await api.get(CONFIGMAPS, { token: 'unknown', headers: { 'Impersonate-User': 'dev' } })).status).toBe(401);
  });

  it('is not requested by other Impersonate-* headers or the headers of an authenticating proxy', async () => {
    const headers = {
      'Impersonate-Other': 'x',
      'X-Remote-User': 'admin',
      'X-Remote-Group': 'system:masters',
      'X-Remote-Extra-Scopes': 'x',
    };
    expect((await api.get(CONFIGMAPS, { headers })).status).toBe(200);
    expect((await api.get(CONFIGMAPS, { headers, token: ALICE })).status).toBe(403);
    expect((await api.get(CONFIGMAPS, { headers, token: null })).status).toBe(403);
  });
});
