/**
 * A kubeconfig that is read again when it or a referenced file changes. For connections see reloadable-connection.ts.
 */
import { FileBackedValue } from '../../runtime/files/file-backed-value';
import type { ClientConfig } from './client-config';
import { readKubeconfig, type KubeconfigOptions } from './kubeconfig';

/** Throws {@link ConfigError} when it cannot be used. */
export function fileBackedKubeconfig(file: string, options: KubeconfigOptions = {}): FileBackedValue<ClientConfig> {
  return new FileBackedValue<ClientConfig>(`kubeconfig ${file}`, (before) => {
    const { files, ...config } = readKubeconfig(file, options);
    return { value: before !== undefined && isSameConfig(before, config) ? before : config, files };
  });
}

const isSameConfig = (a: ClientConfig, b: ClientConfig): boolean => JSON.stringify(a) === JSON.stringify(b);
