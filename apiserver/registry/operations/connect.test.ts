/** What is answered on the way to a node; all but the last refusal are the reference server's. */
import type { JsonObject } from '../../../shared/values/json';
import { notFound } from '../../../shared/api/errors/status';
import { refusal, writeFixture, type Fixture } from '../../../test/support/write-fixture';
import type { Reader } from '../verbs';
import { connect, type Connection } from './connect';

let fixture: Fixture;
let reader: Pick<Reader, 'get'>;

beforeAll(async () => {
  fixture = await writeFixture();
  const pod = (name: string, spec: JsonObject, ...names: string[]): Promise<unknown> =>
    fixture.create('pods', { metadata: { name }, spec: { ...spec, containers: names.map((each) => ({ name: each, image: 'i' })) } });
  await pod('waiting', {}, 'c');
  await pod('lost', { nodeName: 'gone' }, 'c');
  await pod('two', { nodeName: 'n' }, 'c', 'd');
  await pod('one', { nodeName: 'n' }, 'c');
  await fixture.create('nodes', { metadata: { name: 'n' } });
  await fixture.create('services', { metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } });
  await fixture.cache.catchUp();
  reader = {
    get: (_, resource, { namespace, name }) => {
      const entry = fixture.cache.get(resource.stored, namespace === '' ? name : `${namespace}/${name}`);
      return entry === undefined ? Promise.reject(notFound(resource.row, name)) : Promise.resolve(entry);
    },
  };
});

function open(path: string, more: Partial<Connection> = {}): Promise<void> {
  const [resource = '', name = '', subresource = ''] = path.split('/');
  const key = { namespace: resource === 'nodes' ? '' : 'ns', name };
  const connection = { resource: fixture.resource(resource), subresource, key, container: '', upgrades: false, ...more };
  return connect({ reader, nodes: fixture.resource('nodes') }, fixture.context, connection);
}

test.each<[string, Partial<Connection>, number, string]>([
  ['pods/none/log', {}, 404, 'pods "none" not found'],
  ['pods/waiting/log', { container: 'z' }, 400, 'container z is not valid for pod waiting'],
  ['pods/waiting/exec', {}, 400, 'pod waiting does not have a host assigned'],
  ['pods/waiting/portforward', {}, 400, 'pod waiting does not have a host assigned'],
  ['pods/lost/log', {}, 404, 'pods "gone" not found'],
  ['pods/two/attach', {}, 400, 'a container name must be specified for pod two, choose one of: [c d]'],
  ['pods/two/exec', { container: 'd' }, 400, 'Upgrade request required'],
  ['pods/two/portforward', {}, 400, 'Upgrade request required'],
  ['pods/one/proxy', {}, 400, 'address not allowed'],
  ['services/none/proxy', {}, 404, 'services "none" not found'],
  ['services/a:b:c:d/proxy', {}, 400, 'invalid service request "a:b:c:d"'],
  ['services/s:81/proxy', {}, 503, 'no service port 81 found for service "s"'],
  ['nodes/none/proxy', {}, 404, 'nodes "none" not found'],
  ['pods/one/exec', { upgrades: true }, 503, 'node n cannot be reached: this server does not connect to nodes'],
  ['pods/one/log', {}, 503, 'node n cannot be reached: this server does not connect to nodes'],
  ['services/http:s:80/proxy', {}, 503, 'service s cannot be reached: this server does not connect to nodes'],
])('%s %j', async (path, more, code, message) => {
  expect(await refusal(open(path, more))).toMatchObject({ code, message });
});

test('the log of a pod that is on no node is empty', async () => {
  await expect(open('pods/waiting/log')).resolves.toBeUndefined();
});
