import { parseFlags } from '../shared/runtime/flags';
import { FLAGS } from './flags';

const parse = (...argv: string[]) => parseFlags({ name: 'apiserver', description: '' }, FLAGS, argv);

it('reads upstream\u2019s names', () => {
  expect(
    parse('--secure-port=1234', '--etcd-servers=http://a:1,http://b:2', '--anonymous-auth=false', '--request-timeout=1m30s'),
  ).toMatchObject({
    kind: 'values',
    values: { 'secure-port': 1234, 'etcd-servers': ['http://a:1', 'http://b:2'], 'anonymous-auth': false, 'request-timeout': 90_000 },
  });
});

it.each([['--nonsense=1'], ['--authorization-mode=RBAC'], ['--secure-port=abc'], ['--storage-backend=sqlite']])('refuses %s', (flag) => {
  expect(parse(flag).kind).toBe('error');
});
