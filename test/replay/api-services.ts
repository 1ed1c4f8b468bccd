/**
 * Records what the reference server says to good and bad APIServices:
 *   node deploy/scripts/run.mjs test/replay/api-services.js
 * Creations and updates are dry runs; one object is stored for the updates, and deleted. api-service.test.ts replays the recording.
 */
import { shortenPatterns } from './normalize-answer';
import { writeRecording } from './recording';
import { call, causesOf, hangUp, isBody, type Body } from './reference';

const PATH = '/apis/apiregistration.k8s.io/v1/apiservices';
const NAME = 'v1.ext.example.com';
const LOCAL: Body = { group: 'ext.example.com', version: 'v1', groupPriorityMinimum: 100, versionPriority: 10 };
const BASE: Body = { ...LOCAL, service: { namespace: 'n', name: 's' } };
const with_ = (members: Body): Body => ({ ...BASE, ...members });
const service = (members: Body): Body => with_({ service: members });
const labelled = { labels: { 'a b': 'c' } };

interface Sent {
  readonly spec?: Body;
  readonly status?: Body;
  readonly metadata?: Body;
}

const CREATIONS: Readonly<Record<string, Sent>> = {
  plain: { spec: BASE },
  'no spec': {},
  'another name': { spec: BASE, metadata: { name: 'x' } },
  'a name that is none': { spec: BASE, metadata: { name: 'a%b' } },
  'another name and bad labels': { spec: with_({ versionPriority: 0 }), metadata: { name: 'x', ...labelled } },
  'priorities zero': { spec: with_({ groupPriorityMinimum: 0, versionPriority: 0 }) },
  'priorities at their highest': { spec: with_({ groupPriorityMinimum: 20_000, versionPriority: 1000 }) },
  'priorities too high': { spec: with_({ groupPriorityMinimum: 20_001, versionPriority: 1001 }) },
  'priorities negative': { spec: with_({ groupPriorityMinimum: -1, versionPriority: -1 }) },
  'service: empty': { spec: service({}) },
  'service: no name': { spec: service({ namespace: 'n' }) },
  'service: no namespace': { spec: service({ name: 's' }) },
  'service: names that are none': { spec: service({ namespace: 'N_', name: 'S_' }) },
  'service: null': { spec: with_({ service: null }) },
  'port: another': { spec: service({ namespace: 'n', name: 's', port: 8443 }) },
  'port: zero': { spec: service({ namespace: 'n', name: 's', port: 0 }) },
  'port: too high': { spec: service({ namespace: 'n', name: 's', port: 65_536 }) },
  'bundle: some': { spec: with_({ caBundle: 'eA==' }) },
  'bundle: and insecure': { spec: with_({ caBundle: 'eA==', insecureSkipTLSVerify: true }) },
  insecure: { spec: with_({ insecureSkipTLSVerify: true }) },
  'local: plain': { spec: LOCAL },
  'local: a status is not taken': { spec: LOCAL, status: { conditions: [{ type: 'A', status: 'True' }] } },
  'local: bundle': { spec: { ...LOCAL, caBundle: 'eHl6' } },
  'local: insecure': { spec: { ...LOCAL, insecureSkipTLSVerify: true } },
  'local: both': { spec: { ...LOCAL, caBundle: 'eA==', insecureSkipTLSVerify: true } },
  'group: none': { spec: with_({ group: '', version: 'v2' }), metadata: { name: 'v2.' } },
  'group: bad': { spec: with_({ group: 'Ext_' }), metadata: { name: 'v1.Ext_' } },
  'group: bad, and another name': { spec: with_({ group: 'Ext_' }) },
  'version: none': { spec: with_({ version: '' }) },
  'version: capitals': { spec: with_({ version: 'V1' }), metadata: { name: 'V1.ext.example.com' } },
  'version: a dot': { spec: with_({ version: 'v1.1' }), metadata: { name: 'v1.1.ext.example.com' } },
  'a status is not taken': { spec: BASE, status: { conditions: [{ type: 'A', status: 'X' }] } },
};

const UPDATES: Readonly<Record<string, Sent>> = {
  'another version': { spec: with_({ version: 'v2' }) },
  'another group': { spec: with_({ group: 'b.c' }) },
  'a priority': { spec: with_({ versionPriority: 11 }) },
  'a bad priority': { spec: with_({ versionPriority: 0 }) },
  'everything wrong': { spec: with_({ version: 'v9', versionPriority: 0 }), metadata: labelled },
};

const STATUSES: Readonly<Record<string, Sent>> = {
  'a condition': { status: { conditions: [{ type: 'A', status: 'True', reason: 'r', message: 'm' }] } },
  'the same twice': {
    status: {
      conditions: [
        { type: 'A', status: 'True' },
        { type: 'A', status: 'Unknown' },
      ],
    },
  },
  'no such status': {
    status: {
      conditions: [
        { type: 'A', status: 'True' },
        { type: 'B', status: 'X' },
      ],
    },
  },
  'an empty condition': { status: { conditions: [{}] } },
  'nothing but the status': { spec: with_({ versionPriority: 77 }), metadata: { labels: { a: 'b' } }, status: {} },
};

async function main(): Promise<void> {
  const lines: object[] = [];
  const record = async (to: string, cases: Readonly<Record<string, Sent>>): Promise<void> => {
    for (const [title, sent] of Object.entries(cases)) lines.push({ title, to, sent, answer: await ask(to, sent) });
  };
  await record('create', CREATIONS);
  await call('POST', PATH, 'application/json', objectOf({ spec: BASE }));
  try {
    await record('update', UPDATES);
    await record('status', STATUSES);
  } finally {
    await call('DELETE', `${PATH}/${NAME}`, 'application/json');
    hangUp();
  }
  writeRecording('apiregistration/api-services', lines);
}

async function ask(to: string, sent: Sent): Promise<Body> {
  if (to === 'create') return answerOf(await call('POST', `${PATH}?dryRun=All`, 'application/json', objectOf(sent)));
  const path = to === 'status' ? `${PATH}/${NAME}/status` : `${PATH}/${NAME}`;
  // The reference's own controllers change the object, too.
  for (;;) {
    const { body } = await call('GET', path, 'application/json');
    const version = isBody(body['metadata']) ? (body['metadata']['resourceVersion'] ?? null) : null;
    const object = objectOf({ spec: BASE, ...sent, metadata: { ...sent.metadata, resourceVersion: version } });
    const reply = await call('PUT', `${path}?dryRun=All`, 'application/json', object);
    if (reply.code !== 409) return answerOf(reply, to);
  }
}

function objectOf({ metadata, ...members }: Sent): Body {
  return { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', metadata: { name: NAME, ...metadata }, ...members };
}

/** On the main endpoint the status is that of the reference's controllers. */
function answerOf(reply: Awaited<ReturnType<typeof call>>, to = 'create'): Body {
  const { code, body } = reply;
  const causes = causesOf(reply).map((cause) => cause.map(shortenPatterns));
  if (code >= 400) return { code, causes };
  const metadata = isBody(body['metadata']) ? body['metadata'] : {};
  const text = JSON.stringify({
    code,
    labels: metadata['labels'] ?? null,
    spec: body['spec'] ?? null,
    ...(to === 'update' ? {} : { status: body['status'] ?? null }),
  });
  const created = metadata['creationTimestamp'];
  return JSON.parse(typeof created === 'string' ? text.replaceAll(created, '<time>') : text) as Body;
}

void main();
