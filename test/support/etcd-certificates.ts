/** Certificates for members of etcd and for their clients, as files, from an authority of their own. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { systemClock } from '../../shared/runtime/clock';
import { createAuthority, issueCertificate, type CertificateUsage, type Credential } from '../../shared/runtime/pki';
import type { EtcdTls } from './etcd';

export interface EtcdCertificates {
  readonly members: EtcdTls;
  /** What a client presents. */
  readonly client: EtcdTls;
}

const lifetimeMs = 86_400_000;

/** `names`: of the members, beside 127.0.0.1. */
export async function makeEtcdCertificates(folder: string, names: readonly string[] = []): Promise<EtcdCertificates> {
  const common = { lifetimeMs, clock: systemClock };
  const authority = await createAuthority({ ...common, subject: { commonName: 'store-test-ca' } });
  const save = (name: string, pem: string): string => {
    const file = path.join(folder, name);
    writeFileSync(file, pem, { mode: 0o600 });
    return file;
  };
  const ca = save('etcd-ca.crt', authority.certificate);
  const issue = async (usage: CertificateUsage, holders: readonly string[]): Promise<EtcdTls> => {
    const credential: Credential = await issueCertificate({ ...common, authority, usage, subject: { commonName: usage }, names: holders });
    return { ca, cert: save(`etcd-${usage}.crt`, credential.certificate), key: save(`etcd-${usage}.key`, credential.key) };
  };
  return { members: await issue('server', [...names, '127.0.0.1']), client: await issue('client', []) };
}
