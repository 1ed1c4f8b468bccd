import { readSchema } from '../../api/structural/read-schema';
import { compileRules } from './evaluate-rules';

/** The number of errors of a rule about `value`, which has the members `text` and `map`. */
function countErrors(rule: string, value: object, old?: object): number {
  const schema = readSchema({
    type: 'object',
    properties: {
      v: {
        type: 'object',
        properties: { text: { type: 'string' }, map: { type: 'object', additionalProperties: { type: 'string' } } },
        'x-kubernetes-validations': [{ rule }],
      },
    },
  });
  return compileRules(schema).validate({ v: { ...value } }, old === undefined ? undefined : { v: { ...old } }).errors.length;
}

describe('a validation rule of a custom resource', () => {
  it.each([
    ['docs.kubernetes.io', 'docs.platform.io'],
    ['kube-system', 'platform-system'],
    ['kubernetes.io/tls', 'platform.io/tls'],
  ])('rejects the change of an immutable string from %s to its other spelling %s', (old, text) => {
    expect(countErrors('self.text == oldSelf.text', { text }, { text: old })).toBe(1);
    expect(countErrors('self.text == oldSelf.text', { text }, { text })).toBe(0);
  });

  it.each([
    "self.text == 'kubernetes.io/tls'",
    "self.text.startsWith('kubernetes.io')",
    "self.text.matches('kubernetes')",
    "self.text in ['kubernetes.io/tls']",
    "'kubernetes.io/tls' in self.map",
    "self.map['kubernetes.io/tls'] == 'a'",
  ])('does not match the other spelling of a name: %s', (rule) => {
    expect(countErrors(rule, { text: 'platform.io/tls', map: { 'platform.io/tls': 'a' } })).toBe(1);
    expect(countErrors(rule, { text: 'kubernetes.io/tls', map: { 'kubernetes.io/tls': 'a' } })).toBe(0);
  });
});
