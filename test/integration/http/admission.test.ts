/**
 * Replays requests that admission plug-ins of release 1.31.1 handled, with one recording for each plug-in or
 * configuration.
 */
import { join } from 'node:path';
import { NO_OVERRIDES } from '../../../apiserver/admission/plugins/plugin-overrides';
import { readAdmissionConfiguration } from '../../../apiserver/options/admission-configuration';
import { systemClock } from '../../../shared/runtime/clock';
import { isBody, type Json } from '../../replay/json-response';
import { replayRequests } from './replay-requests';
import type { RecordedResponse, RequestCase } from '../../replay/requests/request-recording';
import { repository } from '../../support/repository';
import { useServer } from './fixture';
import { serviceAccountOptions, type FixtureOptions } from './fixture-options';

const ADMISSION_FILE = join(repository, 'test/replay/configuration/admission.yaml');

type Changes = () => FixtureOptions | Promise<FixtureOptions>;

/** Each recording is replayed against a server of its own. */
function replay(names: readonly string[], server: Changes, withDeviation = comparable): void {
  for (const name of names) replayRequests([`admission/${name}`], { server, withDeviation, comparable: withFirstMessageLine });
}

/** Keeps the first line of the message; the other lines show a difference in Go syntax. */
function withFirstMessageLine(response: RecordedResponse): RecordedResponse {
  const { body } = response;
  const message = isBody(body) ? body['message'] : undefined;
  return isBody(body) && typeof message === 'string'
    ? { ...response, body: { ...body, message: message.split('\n', 1)[0] ?? '' } }
    : response;
}

function comparable({ request, answer: response }: RequestCase): RequestCase {
  return { request, answer: withFirstMessageLine(response) };
}

/** Release 1.31.1 responds with 500 when a plug-in cannot parse input of a client, this server with 403. */
function asForbidden(recorded: RequestCase): RequestCase {
  const { request, answer: response } = comparable(recorded);
  const { body } = response;
  const cause = isBody(body) ? body['message'] : undefined;
  if (response.status !== 500 || typeof cause !== 'string') return { request, answer: response };
  const metadata: Json | undefined = isBody(request.body) ? request.body['metadata'] : undefined;
  const name = (isBody(metadata) ? metadata['name'] : undefined) ?? /\/pods\/([^/]+)/.exec(request.path)?.[1] ?? '';
  const message = `pods ${JSON.stringify(name)} is forbidden: ${cause}`;
  return { request, answer: { ...response, status: 403, body: { message, reason: 'Forbidden' } } };
}

const WITHOUT_ACCOUNTS = { ...NO_OVERRIDES, disabled: ['ServiceAccount'] };
replayRequests(['admission/pod-security-controls', 'admission/pod-security-versions', 'admission/pod-security-labels'], {
  server: () => ({ plugins: WITHOUT_ACCOUNTS }),
});

const withDefaultPlugins: Changes = () => ({ plugins: NO_OVERRIDES });
replay(['default-toleration-seconds', 'priority', 'runtime-class', 'service-account', 'storage-class', 'taint-nodes'], withDefaultPlugins);
replay(['ephemeral-secrets', 'rules-before-limits'], withDefaultPlugins, asForbidden);

const OPTIONAL_PLUGINS = [
  'AlwaysPullImages',
  'DenyServiceExternalIPs',
  'ExtendedResourceToleration',
  'LimitPodHardAntiAffinityTopology',
  'PodNodeSelector',
  'PodTolerationRestriction',
];
replay(['asked-for'], () => ({ plugins: { enabled: OPTIONAL_PLUGINS, disabled: ['ServiceAccount'] } }), asForbidden);

const PROVISIONING_PLUGINS = ['NamespaceAutoProvision', 'NamespaceExists'];
replay(['namespace-auto-provision'], () => ({
  plugins: { enabled: PROVISIONING_PLUGINS, disabled: [] },
  serviceAccounts: serviceAccountOptions(),
}));

const CONFIGURED_PLUGINS = ['PodTolerationRestriction', 'PodNodeSelector', 'OwnerReferencesPermissionEnforcement'];
const withConfiguration: Changes = async () => ({
  admission: await readAdmissionConfiguration(ADMISSION_FILE, systemClock),
  plugins: { enabled: CONFIGURED_PLUGINS, disabled: [] },
});
replay(['node-selectors', 'pod-tolerations', 'pod-security', 'limited-resources', 'owner-references'], withConfiguration, asForbidden);

describe('NamespaceAutoProvision', () => {
  const api = useServer({ plugins: { enabled: ['NamespaceAutoProvision'], disabled: [] } });
  const create = (namespace: string, name: string) => api.create(`/api/v1/namespaces/${namespace}/configmaps`, { metadata: { name } });

  it('creates the namespace for ten requests at once', async () => {
    const responses = await Promise.all(Array.from({ length: 10 }, (_, index) => create('together', `m${index}`)));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
  });

  it('creates the namespace of a ConfigMap and of an eviction before their unreachable webhook is called', async () => {
    const webhook = {
      name: 'unreachable.example.com',
      clientConfig: { url: 'https://127.0.0.1:1/' },
      rules: [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps', 'pods/eviction'] }],
      failurePolicy: 'Ignore',
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    };
    const path = '/apis/admissionregistration.platform.io/v1/validatingwebhookconfigurations';
    await api.create(path, { metadata: { name: 'unreachable' }, webhooks: [webhook] });
    await create('requested', 'm');
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'x' } };
    const response = await api.post('/api/v1/namespaces/evicted/pods/x/eviction', eviction);
    expect(response.message).toContain('pods "x" not found');
    expect((await api.get('/api/v1/namespaces/evicted')).status).toBe(200);
  });
});
