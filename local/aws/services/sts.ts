import { AwsError, type AwsService } from '../gateway/messages.ts';
import { account } from '../template/account.ts';

/** STS: tells a caller who it is. The run itself makes role sessions, one for each function process. */
export function createStsService(): AwsService {
  return {
    protocol: 'query',
    async handle({ body, principal, requestId }) {
      const action = new URLSearchParams(body.toString('utf8')).get('Action');
      if (action !== 'GetCallerIdentity')
        throw new AwsError('InvalidAction', `The local STS has no ${action}`);
      const identity = `<Arn>${principal.sessionArn}</Arn><UserId>${principal.userId}</UserId><Account>${account.id}</Account>`;
      return {
        status: 200,
        headers: { 'content-type': 'text/xml' },
        body:
          '<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">' +
          `<GetCallerIdentityResult>${identity}</GetCallerIdentityResult>` +
          `<ResponseMetadata><RequestId>${requestId}</RequestId></ResponseMetadata></GetCallerIdentityResponse>`,
      };
    },
  };
}
