/**
 * A folder in which the commands of a page run as in a checkout of the repository: the scripts of npm, `dist` and
 * `.platform` are there, and kubectl and etcd are on PATH. Ports and files below /tmp are replaced, so that pages neither
 * meet other programs nor write outside of the folders of their run.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { findEtcd } from '../external/etcd';
import { findProgram } from '../external/find-program';
import { kubectlOnPath, packagedProgram } from '../external/kubectl';
import { freePorts } from '../ports';
import { ProgramProcess } from '../programs';
import { repository } from '../repository';

/** Programs that a page may use besides those of every system, and the file of each. */
const PROGRAMS: readonly (readonly [name: string, find: () => string | undefined])[] = [
  ['kubectl', () => packagedProgram('kubectl') ?? kubectlOnPath()],
  ['etcd', findEtcd],
  ['openssl', () => findProgram('openssl')],
  ['curl', () => findProgram('curl')],
];

/** Data folder and ports of a control plane. */
export interface ControlPlaneLocation {
  /** `.platform` of the control plane's own folder. A link to it would change under a running server. */
  readonly data: string;
  readonly securePort: number;
  /** The port for a second control plane that the same block starts. */
  readonly secondPort: number;
  readonly etcdPort: number;
  readonly etcdPeerPort: number;
}

/** How package.json runs programs; paths are relative to the checkout. */
const RUNNER = 'node deploy/scripts/run.mjs';

/** The programs that `commands` use and this machine does not have. */
export const missingPrograms = (commands: string): readonly string[] =>
  PROGRAMS.flatMap(([name, find]) => (uses(commands, name) && find() === undefined ? [name] : []));

/** Whether a line, a substitution or a pipe runs the program, or `command -v` looks it up. */
const uses = (commands: string, name: string): boolean => new RegExp(`(?:^(?:\\$ )?|[(|] *|command -v )${name}[ )]`, 'm').test(commands);

/** New ports, and the data folder below `folder`. The two ports after `securePort` stay free for further replicas, which listen on consecutive ports. */
async function createLocation(folder: string): Promise<ControlPlaneLocation> {
  const [securePort = 0, , , secondPort = 0, etcdPort = 0, etcdPeerPort = 0] = await freePorts(6);
  return { data: path.join(folder, '.platform'), securePort, secondPort, etcdPort, etcdPeerPort };
}

/** Links the programs; once for each `root`, which the pages of a run share. */
export function prepareRoot(root: string): void {
  mkdirSync(path.join(root, 'bin'));
  mkdirSync(path.join(root, 'tmp'));
  for (const [name, find] of PROGRAMS) {
    const file = find();
    if (file !== undefined) symlinkSync(file, path.join(root, 'bin', name));
  }
}

export class PageFolder {
  private readonly folder: string;
  /** The number of scripts written so far. */
  private scripts = 0;

  constructor(
    private readonly root: string,
    name: string,
  ) {
    this.folder = path.join(root, name);
    mkdirSync(this.folder);
    symlinkSync(path.join(repository, 'dist'), path.join(this.folder, 'dist'));
    const manifest = readFileSync(path.join(repository, 'package.json'), 'utf8')
      .replaceAll(RUNNER, `node ${path.join(repository, 'deploy/scripts/run.mjs')}`)
      .replace(/("start": ".*?)"/, '$1 --secure-port=$SECURE_PORT"');
    writeFileSync(path.join(this.folder, 'package.json'), manifest);
  }

  /** The location of a control plane that runs in this folder. */
  createLocation(): Promise<ControlPlaneLocation> {
    return createLocation(this.folder);
  }

  /** Makes `.platform` the data folder of a control plane that runs in another folder. */
  link(location: ControlPlaneLocation): void {
    const link = path.join(this.folder, '.platform');
    rmSync(link, { force: true });
    symlinkSync(location.data, link);
  }

  /** Runs commands until one fails. */
  start(commands: string, location: ControlPlaneLocation): ProgramProcess {
    return this.spawn(['-eo', 'pipefail', this.writeScript(commands, location)], 'ignore', location);
  }

  /**
   * Runs commands that keep running. The shell waits until they end or its standard input is closed, and then terminates
   * its process group.
   */
  startUntilStopped(commands: string, location: ControlPlaneLocation): ProgramProcess {
    // The commands run in the background, and so does `cat`, which ends when the standard input is closed.
    const script = 'exec 3<&0; (set -eo pipefail; . "$1") & cat <&3 > /dev/null & wait -n; kill -TERM -- -$$';
    return this.spawn(['-c', script, 'bash', this.writeScript(commands, location)], 'pipe', location);
  }

  /** Writes a script of the commands with the ports of the location; returns its path. */
  private writeScript(commands: string, { securePort, secondPort, etcdPort }: ControlPlaneLocation): string {
    const ports: Readonly<Record<string, number>> = { 6443: securePort, 7443: secondPort, 2379: etcdPort };
    const text = commands.replaceAll('/tmp/', `${this.root}/tmp/`).replaceAll(/\b(?:6443|7443|2379)\b/g, (port) => String(ports[port]));
    const file = path.join(this.folder, `.block-${++this.scripts}.sh`);
    writeFileSync(file, text);
    return file;
  }

  private spawn(args: readonly string[], stdin: 'ignore' | 'pipe', location: ControlPlaneLocation): ProgramProcess {
    const client = `http://127.0.0.1:${location.etcdPort}`;
    const peer = `http://127.0.0.1:${location.etcdPeerPort}`;
    const env = {
      PATH: [path.join(this.root, 'bin'), path.dirname(process.execPath), process.env['PATH']].join(path.delimiter),
      HOME: this.root,
      KUBECONFIG: '.platform/admin.kubeconfig',
      NPM_CONFIG_UPDATE_NOTIFIER: 'false',
      SECURE_PORT: String(location.securePort),
      ETCD_LISTEN_CLIENT_URLS: client,
      ETCD_ADVERTISE_CLIENT_URLS: client,
      ETCD_LISTEN_PEER_URLS: peer,
      ETCD_INITIAL_ADVERTISE_PEER_URLS: peer,
      ETCD_INITIAL_CLUSTER: `default=${peer}`,
      ETCD_UNSAFE_NO_FSYNC: 'true',
    };
    // `detached` makes a process group of the commands, also of those in the background.
    return new ProgramProcess(spawn('bash', args, { cwd: this.folder, env, stdio: [stdin, 'pipe', 'pipe'], detached: true }));
  }
}
