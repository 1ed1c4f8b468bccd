import { FLAGS } from '../../apiserver/options/flags/flags';
import { commandHelp } from '../../shared/cli/command-table';
import { completionOf } from '../../shared/cli/completion/completion';
import { RENEWABLE_NAMES } from '../local/certificate-files';
import { START_FLAGS } from './commands/flags';
import { PROGRAM } from './program';

const rowOf = (name: string) => PROGRAM.commands.find((row) => row.name === name);

describe('the commands of platform', () => {
  it('have distinct names, and summaries without a period', () => {
    const names = PROGRAM.commands.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { summary } of PROGRAM.commands) expect(summary).not.toMatch(/\.$/);
  });

  it('offer every certificate that can be renewed', () => {
    expect(rowOf('certificates renew')?.operands?.choices).toEqual(RENEWABLE_NAMES);
  });

  it('complete the flags of the API server for start and apiserver', async () => {
    const { commands } = await completionOf(PROGRAM);
    const flagsOf = (name: string) => commands.find(({ words }) => words.join(' ') === name)?.flags.map((flag) => flag.name) ?? [];
    expect(flagsOf('start')).toEqual(expect.arrayContaining(['detach', 'replicas', 'audit-policy-file']));
    expect(flagsOf('apiserver')).toContain('audit-policy-file');
    expect(flagsOf('controllers')).toContain('leader-elect');
  });

  it('give start no flag that means something else to the API server', () => {
    const shared = Object.keys(START_FLAGS).filter((name) => name in FLAGS);
    expect(shared.sort()).toEqual(['bind-address', 'etcd-servers', 'insecure-port', 'secure-port', 'service-cluster-ip-range', 'version']);
  });

  it.each(PROGRAM.commands.map((row) => [row.name, row] as const))('%s has a help within 130 columns', (_name, row) => {
    for (const line of commandHelp(PROGRAM.name, row).split('\n')) expect(line.length).toBeLessThanOrEqual(130);
  });
});
