/** `platform certificates`: lists the certificates of a control plane, and renews them. */
import path from 'node:path';
import { listCertificates, renewableIn, renewCertificates } from '../../local/certificate-files';
import { layoutOf } from '../../local/plan';
import type { CertificatesListFlags, DataDirFlags } from './flags';
import { CommandError, type CommandHost } from '../terminal/host';
import { certificatesTable } from './status';

/** Returns the exit code. Throws {@link CommandError} when the data folder has no certificates. */
export async function printCertificates({ 'data-dir': folder, output }: CertificatesListFlags, host: CommandHost): Promise<number> {
  const layout = layoutOf(path.resolve(host.directory, folder));
  const certificates = listCertificates(layout, host.clock);
  if (certificates.length === 0) throw new CommandError(`there are no certificates in ${layout.pki}: 'platform start' creates them`);
  host.write(output === 'json' ? `${JSON.stringify(certificates, undefined, 2)}\n` : certificatesTable(certificates));
  return 0;
}

/** Renews the named certificates, or all when no names are given. */
export async function renewNamedCertificates(
  { 'data-dir': folder }: DataDirFlags,
  names: readonly string[],
  host: CommandHost,
): Promise<number> {
  const layout = layoutOf(path.resolve(host.directory, folder));
  const selected = names.length === 0 ? renewableIn(layout) : [...new Set(names)];
  await renewCertificates(layout, selected, host.clock);
  const renewed = new Set(selected);
  host.write(certificatesTable(listCertificates(layout, host.clock).filter(({ name }) => renewed.has(name))));
  if (renewed.has('admin'))
    host.write(`\n${layout.kubeconfig} was written again; copies of it stay valid until their certificate expires\n`);
  return 0;
}
