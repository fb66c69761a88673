import { randomBytes } from 'node:crypto';
import type { Credentials, KnownCredentials, Principal } from '../model.ts';
import { account, iamArn } from '../template/account.ts';

/** The key pair of the administrator. */
export const administratorCredentials = { accessKeyId: 'local', secretAccessKey: 'local' } as const;

const administrator: Principal = {
  kind: 'administrator',
  arn: iamArn('user/local'),
  sessionArn: iamArn('user/local'),
  userId: 'AIDALOCAL',
};

/** The credentials that may sign: the administrator's, and those of a session for each function's role. */
export interface CredentialStore {
  find(accessKeyId: string): KnownCredentials | undefined;
  /** Assumes a role as Lambda does for a function: the session is named after it. */
  assumeRole(role: { arn: string; id: string; name: string }, sessionName: string): KnownCredentials;
}

export function createCredentialStore(): CredentialStore {
  const known = new Map<string, KnownCredentials>();
  known.set(administratorCredentials.accessKeyId, {
    credentials: administratorCredentials,
    principal: administrator,
  });
  return {
    find: (accessKeyId) => known.get(accessKeyId),
    assumeRole(role, sessionName) {
      const credentials: Credentials = {
        accessKeyId: `ASIA${randomBytes(8).toString('hex').toUpperCase()}`,
        secretAccessKey: randomBytes(30).toString('base64'),
        sessionToken: randomBytes(64).toString('base64'),
      };
      const principal: Principal = {
        kind: 'role',
        arn: role.arn,
        sessionArn: `arn:${account.partition}:sts::${account.id}:assumed-role/${role.name}/${sessionName}`,
        userId: `${role.id}:${sessionName}`,
      };
      const session = { credentials, principal };
      known.set(credentials.accessKeyId, session);
      return session;
    },
  };
}
