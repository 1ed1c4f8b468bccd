/**
 * The public types of the package. They reference no other module, so that their declarations can be published alone.
 */

export interface ControlPlaneOptions {
  /**
   * The spelling of names that the server generates: `platform.io` or `kubernetes.io`. Both are understood in
   * requests. Default: `platform`.
   */
  readonly naming?: 'platform' | 'kubernetes';
  /**
   * As the flag `--controllers`: `*` = all that are on by default, `foo`, `-foo`; empty = none. Default: the
   * controllers that `npm start` runs.
   */
  readonly controllers?: readonly string[];
  /** Folder of certificates and data, kept for a later start. Default: a temporary folder, removed by `stop()`. */
  readonly folder?: string;
  /** Additional flags of the API server, such as `--feature-gates=WatchList=true`. */
  readonly flags?: readonly string[];
  /**
   * Number of simulated nodes, on which pods are scheduled and become ready without containers; see
   * docs/guide/simulation.md. Default: 0.
   */
  readonly simulatedNodes?: number;
  /** Capacity of each simulated node: `{ cpu: '8', pods: '110' }`. Other resources keep their default. */
  readonly simulatedNodeCapacity?: Readonly<Record<string, string>>;
  /** Whether to publish the ConfigMap `cluster-info`, with which machines join. Default: false. */
  readonly clusterInfo?: boolean;
  /** Level of the log on this process's standard error. Default: `silent`. */
  readonly logLevel?: 'debug' | 'info' | 'warn' | 'error' | 'silent';
}

/** How clients reach and authenticate to a control plane. */
export interface ControlPlaneConnection {
  /** The address: `https://127.0.0.1:<port>`. */
  readonly server: string;
  /** PEM: the certificate of the authority that signed the server's certificate. */
  readonly authority: string;
  /** PEM: the administrator's certificate. */
  readonly certificate: string;
  /** PEM: the key of the administrator's certificate. */
  readonly key: string;
  /** The administrator's kubeconfig, as YAML. */
  readonly kubeconfig: string;
  /** The path of a file with the text of `kubeconfig`. */
  readonly kubeconfigFile: string;
}

/** A running control plane. */
export interface ControlPlane extends ControlPlaneConnection {
  /**
   * Stops the control plane; resolves when its ports and files are released, and rejects when it did not shut down
   * cleanly. Later calls return the same promise.
   */
  stop(): Promise<void>;
}
