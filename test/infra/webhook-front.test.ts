import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { connectorTemplate } from './support/stacks.ts';
import { readable } from './support/template.ts';

const webhookWebAclArn = 'arn:aws:wafv2:us-east-1:123456789012:global/webacl/webhook/1a2b3c4d';
const template = connectorTemplate({ webhookWebAclArn });

describe('CloudFront in front of the webhook', () => {
  it('is there only where a web ACL is named', () => {
    connectorTemplate().resourceCountIs('AWS::CloudFront::Distribution', 0);
    template.resourceCountIs('AWS::CloudFront::Distribution', 1);
  });

  it('has the web ACL, and passes every request on to the API by TLS, uncached, with its headers and body', () => {
    template.hasResourceProperties('AWS::CloudFront::Distribution', {
      DistributionConfig: Match.objectLike({
        Enabled: true,
        WebACLId: webhookWebAclArn,
        DefaultCacheBehavior: Match.objectLike({
          ViewerProtocolPolicy: 'https-only',
          AllowedMethods: Match.arrayWith(['POST']),
          Compress: false,
          // AWS's own policies: nothing is cached; all headers but the host, the query and all cookies.
          CachePolicyId: '4135ea2d-6df8-44a3-9df3-4b5a84be39ad',
          OriginRequestPolicyId: 'b689b0a8-53d0-40ab-baf2-68738e2966ac',
        }),
        Origins: [
          Match.objectLike({
            CustomOriginConfig: { OriginProtocolPolicy: 'https-only', OriginSSLProtocols: ['TLSv1.2'] },
          }),
        ],
      }),
    });
    const [distribution] = Object.values(template.findResources('AWS::CloudFront::Distribution'));
    const [origin] = distribution?.Properties.DistributionConfig.Origins ?? [];
    expect(readable(origin.DomainName)).toMatch(/^HttpApi(Api)?\.execute-api\.AWS::Region\.AWS::URLSuffix$/);
  });

  it('is the address for final summaries, with the path that their signature covers', () => {
    const { Value } = template.findOutputs('WebhookUrl').WebhookUrl ?? {};
    expect(readable(Value)).toMatch(/^https:\/\/HttpApiWebhookFront\w*\.DomainName\/webhooks\/marketplace$/);
  });
});
