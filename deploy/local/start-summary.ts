/**
 * What `platform start` prints when the control plane is ready: its addresses, how the user reaches it, and how it ends.
 * In a container it names the commands for the host, which does not see the files of the container.
 */
import path from 'node:path';
import { shellQuote } from '../../shared/cli/shell-quote';
import type { ApiServerPlan, Layout } from './plan';
import type { RunState } from './run-state';

/**
 * The summary of a control plane that ends with this process.
 *
 * @param container the name of this container for the container engine; `undefined` outside of containers
 */
export function foregroundSummary(plans: readonly ApiServerPlan[], layout: Layout, container: string | undefined): string {
  const [first] = plans;
  const lines = plans.flatMap(({ secureAddress, insecureAddress = '' }) => addressLines(secureAddress, insecureAddress, container));
  const servesHttp = first?.insecureAddress !== undefined;
  if (!servesHttp) lines.push('  HTTP        none; --insecure-port=8080 opens a port on the loopback address with administrator rights');
  const reach =
    servesHttp && container === undefined
      ? `curl ${first.insecureAddress}/api/v1/namespaces/default/configmaps`
      : 'kubectl get --raw /api/v1/namespaces/default/configmaps';
  const { preparation, end } = container === undefined ? localUse(layout) : useFromHost(layout, container);
  return `
The control plane is ready.

${lines.join('\n')}
  kubeconfig  ${layout.kubeconfig}

${preparation}

  kubectl get namespaces
  kubectl create configmap hello --from-literal=greeting=world
  ${reach}

${end}`;
}

/** A control plane that outlives this process, and where its user is. */
export interface BackgroundStart {
  readonly state: RunState;
  /** The path of the administrator's kubeconfig. */
  readonly kubeconfig: string;
  /** The flag, with a space before it, by which other commands find the data folder; `''` when they need none. */
  readonly flag: string;
  readonly container: string | undefined;
}

/** The summary of a control plane that outlives this process. */
export function backgroundSummary({ state, kubeconfig, flag, container }: BackgroundStart): string {
  const { pid, replicas, logs } = state;
  const lines = replicas.flatMap(({ address, insecureAddress }) => addressLines(address, insecureAddress, container));
  const preparation =
    container === undefined ? `  export KUBECONFIG=${shellQuote(kubeconfig)}` : `Try on the host:\n\n${exportFromHost(container, flag)}`;
  const program = container === undefined ? 'platform' : `docker exec ${container} platform`;
  return `The control plane is ready and runs in the background (process ${pid}).

${lines.join('\n')}
  kubeconfig  ${kubeconfig}
  logs        ${logs}

${preparation}

'${program} status${flag}' shows its state, '${program} stop${flag}' ends it.`;
}

/** Other names could mean something else to a shell. */
const CONTAINER_NAME = /^[\w.-]+$/;

/**
 * The name of this container, from the variables of the environment; `undefined` outside of containers. Container engines,
 * and the image of the Dockerfile, set the variable `container`. The name is the host name, which by default is the id of
 * the container; `CONTAINER` stands for one that is not usable.
 */
export function containerName({ container, HOSTNAME: name = '' }: Readonly<Record<string, string | undefined>>): string | undefined {
  if (container === undefined || container === '') return undefined;
  return CONTAINER_NAME.test(name) ? name : 'CONTAINER';
}

/** `insecureAddress` is `''` for none. */
function addressLines(address: string, insecureAddress: string, container: string | undefined): string[] {
  const scope = container === undefined ? 'this machine' : 'this container';
  return [
    `  HTTPS       ${address}`,
    ...(insecureAddress === '' ? [] : [`  HTTP        ${insecureAddress}   (${scope} only, acts as administrator)`]),
  ];
}

/** The parts of the summary that depend on where the user is. */
interface Use {
  /** How commands find the control plane. */
  readonly preparation: string;
  /** How it ends. */
  readonly end: string;
}

const localUse = (layout: Layout): Use => ({
  preparation: `Try in another terminal, after  export KUBECONFIG=${shellQuote(layout.kubeconfig)}`,
  end: `Ctrl-C ends it; the data stays in ${path.dirname(layout.run)}.`,
});

const useFromHost = (layout: Layout, container: string): Use => ({
  preparation: `Try on the host:\n\n${exportFromHost(container, '')}`,
  end: `'docker stop ${container}' ends it; the data stays in ${path.dirname(layout.run)} of the container.`,
});

const exportFromHost = (
  container: string,
  flag: string,
): string => `  docker exec ${container} platform kubeconfig${flag} > admin.kubeconfig
  export KUBECONFIG=$PWD/admin.kubeconfig`;
