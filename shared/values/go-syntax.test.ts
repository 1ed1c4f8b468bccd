import { formatGoSyntax } from './go-syntax';

// The expected texts are those of kube-apiserver.
it('formatGoSyntax prints values in Go syntax', () => {
  const numbers = [1, 100000, 1e20, 1e21, 1e-5, 0.001, 0.0001, 123456789.5, 12345678901234567890, 9223372036854775807n, -0];
  expect(formatGoSyntax({ f: [...numbers, true, null, 'a\u200b<>'], e: {} })).toBe(
    'map[string]interface {}{"e":map[string]interface {}{}, "f":[]interface {}{1, 100000, 1e+20, 1e+21, 1e-05, 0.001, 0.0001, ' +
      '1.234567895e+08, 1.2345678901234567e+19, 9223372036854775807, -0, true, interface {}(nil), "a\\u200b<>"}}',
  );
});
