/** What others see of a control plane inside their process: the package's public types. They name nothing of ours, so that they can be read alone. */

export interface ControlPlaneOptions {
  /** Whose names the server generates and spells: `platform.io` or `kubernetes.io`. Both are understood. By default `platform`. */
  readonly naming?: 'platform' | 'kubernetes';
  /** As `--controllers`: `*` = all that are on by default, `foo`, `-foo`; empty = none run. By default all that `npm start` runs. */
  readonly controllers?: readonly string[];
  /** Where certificates and data are kept, for who starts there again. By default a folder of its own, which is removed in the end. */
  readonly folder?: string;
  /** More flags of the API server, such as `--feature-gates=WatchList=true`. */
  readonly flags?: readonly string[];
  /** Whether machines that want to join find out where the cluster is, as after `npm start`. By default not. */
  readonly clusterInfo?: boolean;
  /** How much is written to this process's standard error. By default nothing. */
  readonly logLevel?: 'debug' | 'info' | 'warn' | 'error' | 'silent';
}

export interface ControlPlane {
  /** Where it is: `https://127.0.0.1:<port>`. */
  readonly server: string;
  /** PEM: who vouches for the server. */
  readonly authority: string;
  /** PEM: the administrator's certificate and key. */
  readonly certificate: string;
  readonly key: string;
  /** The administrator's kubeconfig as YAML, and a file with the same text. */
  readonly kubeconfig: string;
  readonly kubeconfigFile: string;
  /** Ends everything; resolves when ports, timers and files are given back. Later calls join the first. */
  stop(): Promise<void>;
}
