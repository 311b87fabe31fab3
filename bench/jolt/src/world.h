// What both scenes share: a world with fixed things in layer 0 and moving ones in layer 1, y up, one thread.
#pragma once
#include <Jolt/Jolt.h>
#include <Jolt/Core/Factory.h>
#include <Jolt/Core/JobSystemSingleThreaded.h>
#include <Jolt/Core/TempAllocator.h>
#include <Jolt/Physics/Body/BodyCreationSettings.h>
#include <Jolt/Physics/Collision/Shape/BoxShape.h>
#include <Jolt/Physics/PhysicsSettings.h>
#include <Jolt/Physics/PhysicsSystem.h>
#include <Jolt/RegisterTypes.h>

struct Layers : JPH::BroadPhaseLayerInterface {
    JPH::uint GetNumBroadPhaseLayers() const override { return 2; }
    JPH::BroadPhaseLayer GetBroadPhaseLayer(JPH::ObjectLayer layer) const override {
        return JPH::BroadPhaseLayer(static_cast<JPH::BroadPhaseLayer::Type>(layer));
    }
};

struct MovingMeetsAll : JPH::ObjectVsBroadPhaseLayerFilter, JPH::ObjectLayerPairFilter {
    bool ShouldCollide(JPH::ObjectLayer a, JPH::BroadPhaseLayer b) const override {
        return a == 1 || b == JPH::BroadPhaseLayer(1);
    }
    bool ShouldCollide(JPH::ObjectLayer a, JPH::ObjectLayer b) const override { return a == 1 || b == 1; }
};

// Jolt wants this before anything else is made, so it is the first base of a world.
struct Library {
    Library() {
        JPH::RegisterDefaultAllocator();
        JPH::Factory::sInstance = new JPH::Factory;
        JPH::RegisterTypes();
    }
};

struct World : Library {
    Layers layers;
    MovingMeetsAll filter;
    JPH::TempAllocatorImpl scratch{64 << 20};
    JPH::JobSystemSingleThreaded jobs{JPH::cMaxPhysicsJobs};
    JPH::PhysicsSystem system;

    World() {
        system.Init(8192, 0, 65536, 32768, layers, filter, filter);
        system.SetGravity(JPH::Vec3(0, -9.81f, 0));
    }

    void step(double seconds) { system.Update(static_cast<float>(seconds), 1, &scratch, &jobs); }

    JPH::BodyID box(JPH::Vec3 half, JPH::Vec3 centre, bool moves) {
        JPH::Ref<JPH::BoxShape> shape = new JPH::BoxShape(half, 0.005f);
        shape->SetDensity(1000);
        auto motion = moves ? JPH::EMotionType::Dynamic : JPH::EMotionType::Static;
        JPH::BodyCreationSettings body(shape, centre, JPH::Quat::sIdentity(), motion, moves ? 1 : 0);
        body.mFriction = 0.5f;
        body.mAllowSleeping = false;
        body.mLinearDamping = body.mAngularDamping = 0;
        auto activation = moves ? JPH::EActivation::Activate : JPH::EActivation::DontActivate;
        return system.GetBodyInterface().CreateAndAddBody(body, activation);
    }
};
