import { App, CfnOutput, CfnParameter, Stack } from 'aws-cdk-lib';
import { OidcProviderNative, PolicyStatement, Role, WebIdentityPrincipal } from 'aws-cdk-lib/aws-iam';

const ISSUER = 'token.actions.githubusercontent.com';

const app = new App();
const stack = new Stack(app, 'GitHubDeploy');
// OWNER/NAME of your repository.
const repository = new CfnParameter(stack, 'Repository', { allowedPattern: '^[\\w.-]+/[\\w.-]+$' });

const provider = new OidcProviderNative(stack, 'GitHub', {
  url: `https://${ISSUER}`,
  clientIds: ['sts.amazonaws.com'],
});
// Only jobs of this repository in its environment `production`, which its rules protect.
const subject = `repo:${repository.valueAsString}:environment:production`;
const role = new Role(stack, 'Role', {
  assumedBy: new WebIdentityPrincipal(provider.oidcProviderArn, {
    StringEquals: { [`${ISSUER}:aud`]: 'sts.amazonaws.com', [`${ISSUER}:sub`]: subject },
  }),
});
// The CDK's bootstrap made the roles that deploy.
role.addToPolicy(
  new PolicyStatement({
    actions: ['sts:AssumeRole'],
    resources: [
      `arn:${stack.partition}:iam::${stack.account}:role/cdk-hnb659fds-*-${stack.account}-${stack.region}`,
    ],
  }),
);
new CfnOutput(stack, 'RoleArn', { value: role.roleArn });
