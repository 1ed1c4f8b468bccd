import { editDistance, suggestion } from './suggestion';

describe('suggestion', () => {
  const flags = ['--secure-port', '--insecure-port', '--etcd-servers', '--v', '--dry-run', '--dry-ran'];

  it.each([
    ['--secure-prot', '\n(Did you mean --secure-port?)'],
    ['--etcd-server', '\n(Did you mean --etcd-servers?)'],
    ['--dry-rn', '\n(Did you mean one of --dry-ran, --dry-run?)'],
    ['--token-auth-file', ''],
    ['--x', ''],
    ['', ''],
  ])('for %j returns %j', (word, text) => {
    expect(suggestion(word, flags)).toBe(text);
  });

  it('does not compare a very long word', () => {
    expect(suggestion('-'.repeat(10_000_000), flags)).toBe('');
  });
});

describe('editDistance', () => {
  it.each([
    ['start', 'start', 0],
    ['strat', 'start', 1],
    ['stat', 'start', 1],
    ['stop', 'start', 3],
    ['', 'abc', 3],
    ['abc', '', 3],
  ])('of %j and %j is %d', (a, b, distance) => {
    expect(editDistance(a, b)).toBe(distance);
  });
});
