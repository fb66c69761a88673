import { Aws, Validations } from 'aws-cdk-lib';
import {
  AllowedMethods,
  CachePolicy,
  Distribution,
  type IOrigin,
  OriginProtocolPolicy,
  OriginRequestPolicy,
  OriginSslPolicy,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { Construct } from 'constructs';

/**
 * CloudFront with a web ACL in front of the webhook's route. It passes each request on unchanged, since the signature is over method,
 * path and body. Other paths lead to the API as well; there they need the same authorization as without CloudFront.
 */
export class WebhookDistribution extends Construct {
  /** URL of the distribution, without a slash at its end. */
  readonly url: string;

  /**
   * @param apiId ID of the HTTP API with the webhook's route
   * @param webAclArn ARN of a web ACL of AWS WAF with the scope CLOUDFRONT, which is in us-east-1
   */
  constructor(scope: Construct, id: string, apiId: string, webAclArn: string) {
    super(scope, id);
    const origin: IOrigin = new HttpOrigin(`${apiId}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}`, {
      protocolPolicy: OriginProtocolPolicy.HTTPS_ONLY,
      originSslProtocols: [OriginSslPolicy.TLS_V1_2],
    });
    const distribution = new Distribution(this, 'Distribution', {
      comment: 'Webhook of the Marketplace Connector',
      webAclId: webAclArn,
      defaultBehavior: {
        origin,
        allowedMethods: AllowedMethods.ALLOW_ALL,
        viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
        cachePolicy: CachePolicy.CACHING_DISABLED,
        // Passes all headers on, as some have the signature. Only `host` is the API's own.
        originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
        compress: false,
      },
    });
    this.url = `https://${distribution.distributionDomainName}`;
    Validations.of(distribution).acknowledge(
      {
        id: 'AwsSolutions-CFR1',
        reason: 'Where the marketplace sends from is not known here; the web ACL can restrict it.',
      },
      {
        id: 'AwsSolutions-CFR3',
        reason: 'The web ACL logs requests where its owner wants it, and the API logs each one that it gets.',
      },
      {
        id: 'AwsSolutions-CFR4',
        reason: 'The domain of CloudFront itself has its certificate; CloudFront sets the TLS version there.',
      },
    );
  }
}
