/** Numbers that no double holds: refused wherever a client may send one, in the words of release 1.31.1 (which breaks the connection over those in free-form members). */
import { useServer } from './fixture';

const GROUP = 'o.example.com';
const NUMS = `/apis/${GROUP}/v1/namespaces/default/nums`;
const MAPS = '/api/v1/namespaces/default/configmaps';
const REVISIONS = '/apis/apps/v1/namespaces/default/controllerrevisions';
const INTO = 'Go value of type float64';

async function ask(method: string, path: string, type: string, body: string): Promise<{ readonly code: number; readonly said: unknown }> {
  const { status: code, text } = await api.call(path, { method, body, headers: { 'content-type': type } });
  const answer: { message?: string; spec?: object; data?: object } = JSON.parse(text);
  return { code, said: answer.message ?? answer.spec ?? answer.data };
}

const api = useServer();
beforeAll(async () => {
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const definition = {
    metadata: { name: `nums.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { plural: 'nums', kind: 'Num' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { ...open, properties: { spec: { ...open, properties: { n: { type: 'number', maximum: 5 } } } } } },
        },
      ],
    },
  };
  const created = await ask(
    'POST',
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    'application/json',
    JSON.stringify(definition),
  );
  expect(created.code).toBe(201);
  await api.served(NUMS);
  expect((await ask('POST', NUMS, 'application/json', num('"x":1', 'k'))).code).toBe(201);
  expect((await ask('POST', MAPS, 'application/json', '{"metadata":{"name":"k"},"data":{"a":"b"}}')).code).toBe(201);
});

const num = (spec: string, name = 'a', metadata = ''): string =>
  `{"apiVersion":"${GROUP}/v1","kind":"Num","metadata":{"name":"${name}"${metadata}},"spec":{${spec}}}`;
const revision = (data: string): string =>
  `{"apiVersion":"apps/v1","kind":"ControllerRevision","metadata":{"name":"a"},"revision":1,"data":${data}}`;
const handled = (kind: string, spelled: string, into = INTO): string =>
  `${kind} in version "v1" cannot be handled as a ${kind}: json: cannot unmarshal number ${spelled} into ${into}`;
const undecoded = (into = INTO): string => `error decoding patch: json: cannot unmarshal number 1e400 into ${into}`;

const JSON_TYPE = 'application/json';
const MERGE = 'application/merge-patch+json';
const PATCH = 'application/json-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';
const grace = (spelled: string): string =>
  `json: cannot unmarshal number ${spelled} into Go struct field DeleteOptions.gracePeriodSeconds of type int64`;
const OPERAND = 'Go struct field jsonPatchOp.value of type float64';

test.each<[string, string, string, string, number, unknown]>([
  ['POST', NUMS, JSON_TYPE, num('"x":1e400'), 400, handled('Num', '1e400')],
  ['POST', NUMS, JSON_TYPE, num('"x":[1,-1e999]'), 400, handled('Num', '-1e999')],
  ['POST', NUMS, JSON_TYPE, num('"n":1e400'), 400, handled('Num', '1e400')],
  ['POST', NUMS, JSON_TYPE, num('"x":1', 'a', ',"generation":1e400'), 400, handled('Num', '1e400')],
  ['POST', NUMS, JSON_TYPE, num('"x":1e22,"y":0.5e-3'), 201, { x: 1e22, y: 0.0005 }],
  ['POST', NUMS, 'application/yaml', num('x: 1e400'), 201, { x: '1e400' }],
  ['POST', NUMS, 'application/yaml', num('"x":1e400'), 201, { x: '1e400' }],
  ['PATCH', `${NUMS}/k`, MERGE, '{"spec":{"x":1e400}}', 400, undecoded()],
  ['PATCH', `${NUMS}/k`, PATCH, '[{"op":"add","path":"/spec/x","value":{"a":[1e400]}}]', 400, undecoded(OPERAND)],
  ['PATCH', `${NUMS}/k?fieldManager=a`, 'application/apply-patch+yaml', num('"q":1e400', 'k'), 200, { x: 1, q: '1e400' }],
  ['POST', REVISIONS, JSON_TYPE, revision('{"a":1e400}'), 400, handled('ControllerRevision', '1e400')],
  ['POST', REVISIONS, JSON_TYPE, revision('1e400'), 400, handled('ControllerRevision', '1e400')],
  ['POST', REVISIONS, JSON_TYPE, revision('{"a":1e4}'), 201, { a: 1e4 }],
  ['POST', MAPS, JSON_TYPE, '{"metadata":{"name":"a"},"foo":1e400}', 201, undefined],
  ['PATCH', `${MAPS}/k`, MERGE, '{"foo":1e400}', 400, undecoded()],
  ['PATCH', `${MAPS}/k`, STRATEGIC, '{"foo":1e400}', 400, `json: cannot unmarshal number 1e400 into ${INTO}`],
  ['PATCH', `${MAPS}/k`, PATCH, '[{"op":"add","path":"/data/x","value":1e400}]', 400, undecoded(OPERAND)],
  ['DELETE', `${MAPS}/k`, JSON_TYPE, '{"foo":1e400}', 200, undefined],
  ['DELETE', `${MAPS}/k`, JSON_TYPE, '{"gracePeriodSeconds":1e400}', 400, grace('1e400')],
  ['DELETE', `${MAPS}/k`, JSON_TYPE, '{"gracePeriodSeconds":3.0}', 400, grace('3.0')],
])('%s %s %s %s', async (method, path, type, body, code, said) => {
  const dryRun = path.includes('?') ? '&dryRun=All' : '?dryRun=All';
  expect(await ask(method, path + dryRun, type, body)).toEqual({ code, said });
});
