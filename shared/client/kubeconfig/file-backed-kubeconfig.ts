/**
 * A kubeconfig that is read again when it or a referenced file changes. transport/reloadable-connection.ts replaces the
 * connections of a client when the configuration changes.
 */
import { FileBackedValue } from '../../runtime/files/file-backed-value';
import type { ClientConfig } from './client-config';
import { readKubeconfig, type KubeconfigOptions } from './kubeconfig';

/**
 * The value is the same object as long as the configuration is equal. Throws {@link ConfigError} when the kubeconfig
 * cannot be used.
 */
export function fileBackedKubeconfig(file: string, options: KubeconfigOptions = {}): FileBackedValue<ClientConfig> {
  return new FileBackedValue<ClientConfig>(`kubeconfig ${file}`, (before) => {
    const { files, ...config } = readKubeconfig(file, options);
    return { value: before !== undefined && isSameConfig(before, config) ? before : config, files };
  });
}

const isSameConfig = (a: ClientConfig, b: ClientConfig): boolean => JSON.stringify(a) === JSON.stringify(b);
