import { readSchema } from '../../api/structural/read-schema';
import { compileRules } from './evaluate-rules';

const validate = (rule: string, value: object, old?: object) =>
  compileRules(
    readSchema({
      type: 'object',
      properties: {
        v: {
          type: 'object',
          properties: { text: { type: 'string' }, map: { type: 'object', additionalProperties: { type: 'string' } } },
          'x-kubernetes-validations': [{ rule }],
        },
      },
    }),
  ).validate({ v: { ...value } }, old === undefined ? undefined : { v: { ...old } }).errors.length;

describe('a validation rule of a custom resource', () => {
  it.each([
    ['docs.kubernetes.io', 'docs.platform.io'],
    ['kube-system', 'platform-system'],
    ['kubernetes.io/tls', 'platform.io/tls'],
  ])('rejects the change of an immutable string from %s to its other spelling %s', (old, text) => {
    expect(validate('self.text == oldSelf.text', { text }, { text: old })).toBe(1);
    expect(validate('self.text == oldSelf.text', { text }, { text })).toBe(0);
  });

  it.each([
    "self.text == 'kubernetes.io/tls'",
    "self.text.startsWith('kubernetes.io')",
    "self.text.matches('kubernetes')",
    "self.text in ['kubernetes.io/tls']",
    "'kubernetes.io/tls' in self.map",
    "self.map['kubernetes.io/tls'] == 'a'",
  ])('does not match the other spelling of a name: %s', (rule) => {
    expect(validate(rule, { text: 'platform.io/tls', map: { 'platform.io/tls': 'a' } })).toBe(1);
    expect(validate(rule, { text: 'kubernetes.io/tls', map: { 'kubernetes.io/tls': 'a' } })).toBe(0);
  });
});
