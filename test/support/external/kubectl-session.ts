/**
 * Scripted kubectl sessions: helpers that run a command and report its output when the exit code is not the expected
 * one, with the packaged kubectl 1.31 and any other on PATH, against the compiled API server. Asserts nothing beyond
 * the exit code.
 */
import { kubectlOnPath, packagedProgram, runClient, startClient, type ClientResult } from './kubectl';
import type { ProgramProcess } from '../programs';
import { reportSkipped } from '../report-skipped';
import { useApiServer, useSharedApiServer, type SharedApiServer, type TestApiServer } from '../use-api-server';

export class KubectlSession {
  constructor(
    readonly binary: string,
    readonly kubeconfig: string,
    /** That of every command that names neither a namespace (`-n`) nor all of them (`-A`). */
    readonly namespace: string,
  ) {}

  /** Runs a command to its end and returns its result, whatever the exit code. */
  run(command: string | readonly string[], input?: string): Promise<ClientResult> {
    return runClient(this.binary, this.kubeconfig, this.args(command), input === undefined ? {} : { input });
  }

  /** Runs a command that must succeed, and returns its standard output. */
  async ok(command: string | readonly string[], input?: string): Promise<string> {
    const { code, stdout, stderr } = await this.run(command, input);
    if (code !== 0) throw new Error(`kubectl ${this.args(command).join(' ')} ended with ${code}:\n${stderr}${stdout}`);
    return stdout;
  }

  /** Runs a command that must fail, and returns its standard error. */
  async fails(command: string | readonly string[], input?: string): Promise<string> {
    const { code, stdout, stderr } = await this.run(command, input);
    if (code === 0) throw new Error(`kubectl ${this.args(command).join(' ')} should fail, but printed:\n${stdout}`);
    return stderr;
  }

  /** The value of a JSONPath, which is given without braces. */
  async jsonPath(command: string, path: string): Promise<unknown> {
    return JSON.parse(await this.ok(`${command} -o jsonpath={${path}}`));
  }

  /** The output as JSON. The caller names its type, which is not checked. */
  async json<T>(command: string): Promise<T> {
    return JSON.parse(await this.ok(`${command} -o json`)) as T;
  }

  /** Starts a command that runs until it is stopped. */
  start(command: string): ProgramProcess {
    return startClient(this.binary, this.kubeconfig, this.args(command));
  }

  /** Splits a command at blanks; quotes have no meaning, so that arguments with blanks need an array. */
  private args(command: string | readonly string[]): string[] {
    const words = typeof command === 'string' ? command.split(' ').filter((word) => word !== '') : [...command];
    return words.includes('-n') || words.includes('-A') ? words : ['-n', this.namespace, ...words];
  }
}

/** The rows of kubectl's table output; two or more blanks separate cells. */
export function parseTable(output: string): string[][] {
  return output
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => line.trim().split(/ {2,}/));
}

interface KubectlBinary {
  /** Where it was found, for the title of tests. */
  readonly source: string;
  readonly binary: string;
}

/** The packaged kubectl first. */
const binaries: readonly KubectlBinary[] = [
  { source: 'the npm package', binary: packagedProgram('kubectl') },
  { source: 'PATH', binary: kubectlOnPath() },
].flatMap(({ source, binary }) => (binary === undefined ? [] : [{ source, binary }]));

type SessionTests = (session: KubectlSession, server: SharedApiServer) => void;

/**
 * Declares the tests of `body` for the packaged kubectl, and for the kubectl on PATH where there is no packaged one.
 * `KUBECTL_ON_PATH=all` adds the kubectl on PATH everywhere.
 */
export function describeWithKubectl(name: string, body: SessionTests): void {
  describeWithBinaries(process.env['KUBECTL_ON_PATH'] === 'all' ? binaries : binaries.slice(0, 1), name, body);
}

/** Like {@link describeWithKubectl}, always with the kubectl on PATH too: its version may be another one. */
export function describeWithEachKubectl(name: string, body: SessionTests): void {
  describeWithBinaries(binaries, name, body);
}

/** Each kubectl has its own namespace of the shared server, in each file. */
function describeWithBinaries(used: readonly KubectlBinary[], name: string, body: SessionTests): void {
  const server = useSharedApiServer();

  if (packagedProgram('kubectl') === undefined) {
    reportSkipped(`${name} with the packaged kubectl`, 'it exists for linux-x64 only');
  }

  describe.each(used)(`${name}, kubectl of $source`, ({ source, binary }) => {
    const namespace = `e2e-${[name, source]
      .join('-')
      .toLowerCase()
      .replace(/[^a-z]+/g, '-')}-${process.pid}`;
    const session = new KubectlSession(binary, server.kubeconfig, namespace);
    beforeAll(() => session.ok(`create namespace ${namespace}`), 30_000);
    afterAll(() => session.ok(`delete namespace ${namespace} --wait=false`), 30_000);

    body(session, server);
  });
}

/** Declares tests with the packaged kubectl on a server of their own, in the namespace `default` unless another is given. */
export function describeWithPackagedKubectl(
  name: string,
  options: Parameters<typeof useApiServer>[1],
  body: (session: KubectlSession, server: TestApiServer) => void,
  namespace = 'default',
): void {
  describeWithKubectlBinary(name, (binary) => {
    const server = useApiServer('kubectl', options);
    body(new KubectlSession(binary, server.kubeconfig, namespace), server);
  });
}

/** Tests with the packaged kubectl against a server of their own. Reported as skipped on machines that it is not for. */
export function describeWithKubectlBinary(name: string, body: (binary: string) => void): void {
  const binary = packagedProgram('kubectl');
  if (binary === undefined) reportSkipped(name, 'the packaged kubectl exists for linux-x64 only');
  else describe(name, () => body(binary));
}
