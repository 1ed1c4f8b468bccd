/**
 * An etcd, API servers behind one address, and the controllers, each a process that a scenario can kill. The programs
 * are ours or the reference's.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { ensureCertificates } from '../../../deploy/local/certificates';
import { isReady } from '../../../deploy/local/readiness';
import { ADMINISTRATOR_NAME, formatKubeconfig } from '../../../deploy/cluster/kubeconfig';
import type { Credential } from '../../../shared/pki/certificates';
import { systemClock as clock } from '../../../shared/runtime/clock';
import { startEtcd, type EtcdServer } from '../../support/external/etcd';
import { freePorts } from '../../support/ports';
import { waitUntil } from '../../support/programs';
import { LoadBalancer } from './load-balancer';
import { API_SERVICE_ADDRESS, NODE_ADDRESS, type NodeCredentials } from './node-tool';
import type { ControlPlanePrograms } from './programs';
import { SupervisedProcess } from './supervised-process';

/** API servers behind the load balancer: one is killed, the other serves on. */
const REPLICAS = 2;
/** The time limit for a start on a busy machine. */
const READY_MS = 120_000;

interface Replica {
  readonly port: number;
  readonly process: SupervisedProcess;
}

export class ControlPlane {
  /** Further variables of the controllers. */
  private environment: NodeJS.ProcessEnv | undefined;

  private constructor(
    readonly credentials: NodeCredentials,
    readonly etcd: EtcdServer,
    readonly controllers: SupervisedProcess,
    private readonly replicas: readonly Replica[],
    private readonly balancer: LoadBalancer,
    /** Whether the API server at a port is ready. */
    private readonly isReadyAt: (port: number) => Promise<boolean>,
  ) {}

  /** Starts one API server, and the controllers. `folder` holds certificates and kubeconfigs. */
  static async start(programs: ControlPlanePrograms, folder: string): Promise<ControlPlane> {
    const pki = path.join(folder, 'pki');
    const certificates = await ensureCertificates(pki, clock, [NODE_ADDRESS, API_SERVICE_ADDRESS]);
    const { authority, admin, controllers } = certificates;
    const [balancedPort = 0, ...ports] = await freePorts(1 + REPLICAS);
    const server = `https://${NODE_ADDRESS}:${balancedPort}`;
    const writeKubeconfig = (name: string, user: string, credential: Credential): string => {
      const file = path.join(folder, `${name}.kubeconfig`);
      writeFileSync(file, formatKubeconfig({ server, authority, user, credential }), { mode: 0o600 });
      return file;
    };
    const kubeconfig = writeKubeconfig('admin', ADMINISTRATOR_NAME, admin);
    const controllersKubeconfig = writeKubeconfig('controllers', 'controllers', controllers);
    const etcd = await startEtcd();
    const balancer = await LoadBalancer.start(balancedPort);
    balancer.ports = ports;
    const replicas = ports.map((port) => ({
      port,
      process: new SupervisedProcess(() => programs.startApiServer({ pki, etcd: etcd.endpoint, port })),
    }));
    const plane: ControlPlane = new ControlPlane(
      { kubeconfig, authority: path.join(pki, 'ca.crt'), authorityKey: path.join(pki, 'ca.key') },
      etcd,
      new SupervisedProcess(() =>
        programs.startControllers({
          pki,
          kubeconfig: controllersKubeconfig,
          ...(plane.environment === undefined ? {} : { environment: plane.environment }),
        }),
      ),
      replicas,
      balancer,
      (port) => isReady({ address: `https://127.0.0.1:${port}`, authority, admin }),
    );
    await plane.startApiServer(0);
    plane.controllers.start();
    return plane;
  }

  /** Resolves when the API server is ready. */
  async startApiServer(index: number): Promise<void> {
    const { port, process } = this.replica(index);
    process.start();
    await waitUntil('the API server to be ready', () => this.isReadyAt(port), READY_MS).catch((error: unknown) => {
      throw new Error(process.output.slice(-4_000), { cause: error });
    });
  }

  /** SIGKILL. */
  killApiServer(index: number): Promise<void> {
    return this.replica(index).process.kill();
  }

  /** SIGTERM; resolves when the process has exited. */
  stopApiServer(index: number): Promise<void> {
    return this.replica(index).process.stop();
  }

  /** Starts the controllers with further variables of the environment, also at later restarts; `undefined` for none. */
  startControllersWith(environment: NodeJS.ProcessEnv | undefined): void {
    this.environment = environment;
    this.controllers.start();
  }

  /** The output of each program, by its name. */
  get outputs(): ReadonlyMap<string, string> {
    return new Map([
      ...this.replicas.map(({ process }, index) => [`apiserver-${index}`, process.output] as const),
      ['controllers', this.controllers.output] as const,
    ]);
  }

  /** Kills all programs and deletes the data of etcd. */
  async stop(): Promise<void> {
    await this.controllers.kill();
    for (const { process } of this.replicas) await process.kill();
    await this.balancer.close();
    await this.etcd.dispose();
  }

  private replica(index: number): Replica {
    const replica = this.replicas[index];
    if (replica === undefined) throw new RangeError(`there is no API server ${index}`);
    return replica;
  }
}
