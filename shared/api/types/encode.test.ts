import { decodeObject } from './decode';
import { encodeBody } from './encode';
import type { JsonObject } from '../../values/json';

const encode = (type: string, value: JsonObject): string => encodeBody(type, decodeObject(type, value).object);

test('encodeBody writes fields in the order of upstream, whatever their order in the object', () => {
  const text = encode('core.v1.Service', {
    status: {},
    spec: { type: 'ClusterIP', selector: { b: '1', a: '2' }, ports: [{ port: 1, name: 'x' }] },
    metadata: { name: 'a' },
  });
  expect(text).toBe(
    '{"metadata":{"name":"a","creationTimestamp":null},"spec":{"ports":[{"name":"x","port":1,"targetPort":0}],"selector":{"a":"2","b":"1"},"type":"ClusterIP"},"status":{"loadBalancer":{}}}',
  );
});

test('encodeBody omits zero values of optional fields, and prints those of pointers and of fields that are always present', () => {
  const text = encode('core.v1.Pod', {
    spec: {
      containers: [{ name: '', stdin: false, securityContext: { runAsUser: 0, privileged: false }, env: [] }],
      hostNetwork: false,
      terminationGracePeriodSeconds: 0,
    },
  });
  expect(text).toContain('"containers":[{"name":"","resources":{},"securityContext":{"privileged":false,"runAsUser":0}}]');
  expect(text).toContain('"terminationGracePeriodSeconds":0');
  expect(text).not.toContain('hostNetwork');
});

test('encodeBody prints an empty required list as null', () => {
  expect(encode('core.v1.Pod', { spec: { containers: [] } })).toContain('"spec":{"containers":null}');
});

test('encodeBody sorts map keys by bytes, also those that look like numbers', () => {
  expect(encode('core.v1.ConfigMap', { data: { b: '', '10': '', '9': '', a: '', '\ue000': '', '😀': '' } })).toContain(
    '"data":{"10":"","9":"","a":"","b":"","\ue000":"","😀":""}',
  );
});

test('encodeBody escapes strings as upstream does', () => {
  expect(encode('core.v1.ConfigMap', { data: { k: '<a href="x">&\u2028\ud800\n\x7f' } })).toContain(
    '"k":"\\u003ca href=\\"x\\"\\u003e\\u0026\\u2028\ufffd\\n\x7f"',
  );
});
