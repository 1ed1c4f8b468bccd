/** Certificates of etcd members and clients as files, issued by one authority. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { CertificateUsage } from '../../../shared/pki/certificates';
import { makeAuthority, makePair, pairPaths, savePair } from './credential-files';
import type { EtcdTls } from '../external/etcd';

export interface EtcdCertificates {
  readonly members: EtcdTls;
  /** The client certificate. */
  readonly client: EtcdTls;
}

/** `names` are the members' host names besides 127.0.0.1. */
export async function makeEtcdCertificates(folder: string, names: readonly string[] = []): Promise<EtcdCertificates> {
  const authority = await makeAuthority('store-test-ca');
  const ca = path.join(folder, 'etcd-ca.crt');
  writeFileSync(ca, authority.certificate);
  const issue = async (usage: CertificateUsage, holders: readonly string[]): Promise<EtcdTls> => {
    const files = pairPaths(folder, `etcd-${usage}`);
    savePair(files, await makePair(authority, usage, { names: holders }));
    return { ca, ...files };
  };
  return { members: await issue('server', [...names, '127.0.0.1']), client: await issue('client', []) };
}
