/**
 * Scripted kubectl sessions: helpers that run a command and report its output when the exit code is not the expected one, with the
 * packaged kubectl 1.31 and any other on PATH, against the compiled API server. Asserts nothing beyond the exit code.
 * E2E_KUBECONFIG names a running server to use instead of a fresh one.
 */
import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { kubectlOnPath, packagedProgram, runClient, startClient, type Outcome } from './kubectl';
import { freePort } from './ports';
import { removeFolder, startApiServer, temporaryFolder, type ApiServer, type ProgramProcess } from './programs';
import { skipLoudly } from './skipped';

/** What the scripts look at in an object. */
export interface Named {
  readonly metadata: {
    readonly name: string;
    readonly resourceVersion: string;
    readonly creationTimestamp: string;
    readonly labels?: Record<string, string>;
    readonly annotations?: Record<string, string>;
    readonly finalizers?: string[];
    readonly deletionTimestamp?: string;
    readonly uid: string;
  };
  readonly data?: Record<string, string>;
}

export class KubectlSession {
  constructor(
    readonly binary: string,
    readonly kubeconfig: string,
    /** Appended to every command: `-n <namespace>`. */
    readonly namespace: string,
  ) {}

  /** Runs a command to its end, whatever that is. */
  run(command: string | readonly string[], input?: string): Promise<Outcome> {
    return runClient(this.binary, this.kubeconfig, this.args(command), input === undefined ? {} : { input });
  }

  /** Runs a command that must succeed, and gives its standard output. */
  async ok(command: string | readonly string[], input?: string): Promise<string> {
    const { code, stdout, stderr } = await this.run(command, input);
    if (code !== 0) throw new Error(`kubectl ${this.args(command).join(' ')} ended with ${code}:\n${stderr}${stdout}`);
    return stdout;
  }

  /** Runs a command that must fail, and gives its standard error. */
  async fails(command: string | readonly string[], input?: string): Promise<string> {
    const { code, stdout, stderr } = await this.run(command, input);
    if (code === 0) throw new Error(`kubectl ${this.args(command).join(' ')} should fail, but said:\n${stdout}`);
    return stderr;
  }

  async json<T>(command: string): Promise<T> {
    return JSON.parse(await this.ok(`${command} -o json`)) as T;
  }

  /** Starts a command that goes on until it is stopped. */
  start(command: string): ProgramProcess {
    return startClient(this.binary, this.kubeconfig, this.args(command));
  }

  /** A command as words; quotes are not understood, arguments with blanks come as an array. */
  private args(command: string | readonly string[]): string[] {
    const words = typeof command === 'string' ? command.split(' ').filter((word) => word !== '') : [...command];
    return words.includes('-n') || words.includes('-A') ? words : ['-n', this.namespace, ...words];
  }
}

/** The rows of kubectl's table output, cells split where two or more blanks stand. */
export function table(output: string): string[][] {
  return output
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => line.trim().split(/ {2,}/));
}

/** A pod on a node, a Service and a Lease. */
export const webManifest = (name: string): string => `
apiVersion: v1
kind: Pod
metadata: {name: ${name}, labels: {app: web}}
spec:
  nodeName: worker-1
  containers:
  - {name: main, image: "registry.example.com/web:1.0", ports: [{containerPort: 80}], env: [{name: MODE, value: test}]}
---
apiVersion: v1
kind: Service
metadata: {name: ${name}-svc}
spec:
  clusterIP: None
  selector: {app: web}
  ports: [{port: 80, targetPort: 8080}]
---
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: ${name}-lease}
spec: {holderIdentity: somebody, leaseDurationSeconds: 15}
`;

const binaries = [
  ['the npm package', packagedProgram('kubectl')],
  ['PATH', kubectlOnPath()],
].flatMap(([source, binary]) => (source === undefined || binary === undefined ? [] : [{ source, binary }]));

/** Declares the tests of `body` for each kubectl; each has a namespace of its own on one server. Tests call what they get for the session. */
export function withEachKubectl(name: string, body: (session: () => KubectlSession) => void): void {
  const folder = temporaryFolder('e2e-kubectl');
  const kubeconfig = path.join(folder, 'kubeconfig');
  let server: ApiServer | undefined;

  beforeAll(async () => {
    const given = process.env['E2E_KUBECONFIG'];
    if (given === undefined) server = await startApiServer({ folder, securePort: await freePort() });
    // A copy: kubectl's caches lie beside it.
    copyFileSync(given ?? server?.kubeconfig ?? '', kubeconfig);
  }, 60_000);

  afterAll(async () => {
    await server?.process.stop();
    removeFolder(folder);
  });

  if (packagedProgram('kubectl') === undefined) {
    skipLoudly(`${name} with the packaged kubectl`, 'it exists for linux-x64 only');
  }

  describe.each(binaries)(`${name}, kubectl of $source`, ({ source, binary }) => {
    const namespace = `e2e-${source.toLowerCase().replace(/[^a-z]+/g, '-')}-${process.pid}`;
    let session: KubectlSession;

    beforeAll(async () => {
      session = new KubectlSession(binary, kubeconfig, namespace);
      await session.ok(`create namespace ${namespace}`);
    }, 30_000);

    afterAll(async () => {
      await session.ok(`delete namespace ${namespace} --wait=false`);
    }, 30_000);

    body(() => session);
  });
}
