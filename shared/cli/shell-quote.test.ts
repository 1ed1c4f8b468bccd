import { execFileSync } from 'node:child_process';
import { shellQuote } from './shell-quote';

describe('shellQuote', () => {
  it('leaves plain paths as they are', () => {
    expect(shellQuote('/home/me/.platform/admin.kubeconfig')).toBe('/home/me/.platform/admin.kubeconfig');
  });

  it.each(['', 'a b', "it's", '$HOME', '`id`', 'a\nb', '~/x', '*', 'ü'])('makes sh read %j as it is', (text) => {
    expect(execFileSync('sh', ['-c', `printf %s ${shellQuote(text)}`], { encoding: 'utf8' })).toBe(text);
  });
});
