/**
 * The programs of a control plane, ours or the reference: upstream's API server and controllers of release 1.31 as one
 * program with the commands `apiserver` and `controller-manager`. Both get the same certificates and equal flags.
 */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { ProgramProcess, startProgram } from '../../support/programs';
import { NODE_ADDRESS, SERVICE_RANGE } from './node-tool';

/** Both start a process and do not wait until it is ready. */
export interface ControlPlanePrograms {
  startApiServer(options: ApiServerOptions): ProgramProcess;
  startControllers(options: ControllersOptions): ProgramProcess;
}

export interface ApiServerOptions {
  /** Holds certificates and keys. */
  readonly pki: string;
  /** The endpoint of etcd. */
  readonly etcd: string;
  /** The secure port. */
  readonly port: number;
}

export interface ControllersOptions {
  readonly pki: string;
  readonly kubeconfig: string;
  /** Variables of the environment. */
  readonly environment?: NodeJS.ProcessEnv;
}

/** The programs of this repository, from dist/. */
export const ourPrograms: ControlPlanePrograms = {
  startApiServer: (options) =>
    startProgram('apiserver/main.js', [...apiServerFlags(options), '--naming=kubernetes', '--insecure-port=0', '--log-level=warn']),
  startControllers: (options) =>
    startProgram('controllers/main.js', [...controllersFlags(options), '--naming=kubernetes', '--log-level=info'], options.environment),
};

/** `file`: the reference's program. */
export function referencePrograms(file: string): ControlPlanePrograms {
  const start = (args: readonly string[]): ProgramProcess => {
    const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const killOnExit = (): void => void child.kill('SIGKILL');
    process.once('exit', killOnExit);
    child.once('close', () => process.removeListener('exit', killOnExit));
    return new ProgramProcess(child);
  };
  return {
    startApiServer: (options) => start(['apiserver', ...apiServerFlags(options), `--cert-dir=${path.join(options.pki, 'unused')}`]),
    startControllers: (options) => {
      const access = [`--authentication-kubeconfig=${options.kubeconfig}`, `--authorization-kubeconfig=${options.kubeconfig}`];
      return start(['controller-manager', ...controllersFlags(options), ...access]);
    },
  };
}

const apiServerFlags = ({ pki, etcd, port }: ApiServerOptions): readonly string[] => [
  `--etcd-servers=${etcd}`,
  '--bind-address=0.0.0.0',
  `--secure-port=${port}`,
  `--advertise-address=${NODE_ADDRESS}`,
  `--service-cluster-ip-range=${SERVICE_RANGE}`,
  '--authorization-mode=Node,RBAC',
  '--enable-admission-plugins=NodeRestriction',
  `--tls-cert-file=${pki}/apiserver.crt`,
  `--tls-private-key-file=${pki}/apiserver.key`,
  `--client-ca-file=${pki}/ca.crt`,
  `--kubelet-client-certificate=${pki}/admin.crt`,
  `--kubelet-client-key=${pki}/admin.key`,
  '--kubelet-preferred-address-types=InternalIP',
  '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
  `--service-account-key-file=${pki}/sa.pub`,
  `--service-account-signing-key-file=${pki}/sa.key`,
];

const controllersFlags = ({ pki, kubeconfig }: ControllersOptions): readonly string[] => [
  `--kubeconfig=${kubeconfig}`,
  '--use-service-account-credentials=true',
  `--service-account-private-key-file=${pki}/sa.key`,
  `--root-ca-file=${pki}/ca.crt`,
  `--cluster-signing-cert-file=${pki}/ca.crt`,
  `--cluster-signing-key-file=${pki}/ca.key`,
  '--secure-port=0',
];
