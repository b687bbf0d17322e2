// A virtual network with a subnet for the instances and one for private endpoints.
param name string
param location string
param tags object

resource network 'Microsoft.Network/virtualNetworks@2024-01-01' = {
  name: name
  location: location
  tags: tags
  properties: {
    addressSpace: { addressPrefixes: ['10.40.0.0/16'] }
    subnets: [
      {
        name: 'app'
        properties: {
          addressPrefix: '10.40.0.0/24'
          delegations: [
            {
              name: 'flex'
              properties: { serviceName: 'Microsoft.App/environments' }
            }
          ]
        }
      }
      {
        name: 'endpoints'
        properties: { addressPrefix: '10.40.1.0/24' }
      }
    ]
  }
}

output id string = network.id
output appSubnetId string = network.properties.subnets[0].id
output endpointsSubnetId string = network.properties.subnets[1].id
